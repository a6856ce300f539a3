import type { Audience } from '@hamlet/contract';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import type { Authenticate } from '../auth/authenticate.ts';
import { isSameOrigin } from '../http/admission/origin.ts';
import { refused } from '../http/outcome.ts';
import type { Refused } from '../http/outcome.ts';
import { problemOf, refusalOfError } from '../http/respond.ts';
import type { Log } from '../service/log.ts';
import type { Fanout } from './fanout/fanout.ts';

const PATH = '/ws/world';
const MESSAGE_MAX_BYTES = 16_384;
const PING_EVERY_MS = 20_000;
const GOING_AWAY = 1001;
/** A viewer that says nothing for so long is shown the whole map. */
const DEFAULT_VIEW_AFTER_MS = 250;

export interface SocketPorts {
  readonly fanout: Fanout;
  readonly size: { readonly width: number; readonly height: number };
  readonly authenticate: Authenticate;
  readonly log: Log;
}

/** Serves /ws/world on a listener's server: whoever may read the world may watch it. Returns what closes every socket. */
export function serveWorldSocket(server: Server, listener: readonly Audience[], ports: SocketPorts): () => void {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MESSAGE_MAX_BYTES });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    void admit(request, listener, ports).then((refusal) => {
      if (refusal !== null) refuse(socket, refusal);
      else sockets.handleUpgrade(request, socket, head, (webSocket) => attach(webSocket, request, ports));
    });
  });
  return () => {
    for (const client of sockets.clients) client.close(GOING_AWAY, 'the api is stopping');
    sockets.close();
  };
}

async function admit(request: IncomingMessage, listener: readonly Audience[], { authenticate, log }: SocketPorts): Promise<Refused | null> {
  const path = URL.parse(request.url ?? '', 'http://village')?.pathname;
  if (path !== PATH) return refused('route_not_found');
  const { headers } = request;
  // A browser sends the session to any origin's socket unless the server looks.
  if (headers.authorization === undefined && headers.cookie !== undefined && !isSameOrigin(headers)) return refused('origin_not_allowed');
  try {
    const actor = await authenticate({ headers, address: request.socket.remoteAddress ?? '', listener });
    return 'ok' in actor ? actor : null;
  } catch (error) {
    log('warn', 'a socket was not admitted', { error });
    return refusalOfError(error);
  }
}

function refuse(socket: Duplex, refusal: Refused): void {
  const problem = problemOf(refusal, randomUUID());
  const body = JSON.stringify(problem);
  socket.end(
    `HTTP/1.1 ${problem.status} Refused\r\ncontent-type: application/problem+json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

function attach(webSocket: WebSocket, request: IncomingMessage, { fanout, size, log }: SocketPorts): void {
  const format = URL.parse(request.url ?? '', 'http://village')?.searchParams.get('format') === 'json' ? 'json' : 'binary';
  const viewer = fanout.attach(
    {
      send: (data) => webSocket.send(data),
      get bufferedAmount() {
        return webSocket.bufferedAmount;
      },
      close: (code, reason) => webSocket.close(code, reason),
    },
    { format },
  );
  const wholeMap = JSON.stringify({ type: 'view', x: 0, y: 0, width: size.width, height: size.height, zoom: 'near' });
  const silence = setTimeout(() => viewer.receive(wholeMap), DEFAULT_VIEW_AFTER_MS);
  let answered = true;
  const pinger = setInterval(() => {
    if (!answered) webSocket.terminate();
    answered = false;
    webSocket.ping();
  }, PING_EVERY_MS);
  webSocket.on('pong', () => {
    answered = true;
  });
  webSocket.on('message', (data, isBinary) => {
    clearTimeout(silence);
    // Nothing a viewer says is binary.
    if (!isBinary) viewer.receive(Buffer.isBuffer(data) ? data.toString() : '');
  });
  webSocket.on('error', (error) => log('debug', 'a socket broke', { error }));
  webSocket.on('close', () => {
    clearInterval(pinger);
    clearTimeout(silence);
    viewer.detach();
  });
}
