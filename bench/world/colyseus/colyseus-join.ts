import type { WebSocket } from 'ws';

/** First byte of Colyseus' greeting, and of the client's answer to it. The server sends state after the answer. */
const JOIN_ROOM = 10;

/** Takes a seat in the peer's room, as its client library does; returns the address of the websocket. */
export async function reserveSeat(url: string, index: number): Promise<string> {
  const response = await fetch(`${url}/matchmake/joinOrCreate/town`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ index }),
  });
  const seat = (await response.json()) as { sessionId?: string; roomId?: string; processId?: string; error?: string };
  if (seat.sessionId === undefined) throw new Error(`no seat at the peer: ${JSON.stringify(seat)}`);
  return `${url.replace('http', 'ws')}/${seat.processId}/${seat.roomId}?sessionId=${seat.sessionId}`;
}

/** Answers the greeting. The caller only counts all other messages. */
export function answerGreeting(socket: WebSocket, data: Uint8Array): void {
  if (data[0] === JOIN_ROOM) socket.send(Uint8Array.of(JOIN_ROOM));
}
