import { z } from 'zod';

/** Slack sends `hello` first. */
const HELLO_LIMIT_MS = 5_000;
const FRAME_MAX_CHARS = 1_048_576;

const Frame = z.looseObject({
  type: z.string().max(64),
  envelope_id: z.string().min(1).max(128).optional(),
  payload: z.unknown().optional(),
});

export interface Envelope {
  readonly id: string;
  /** As Slack sent it, not checked. */
  readonly payload: unknown;
}

/** One WebSocket of Socket Mode, from `hello` to its end. */
export interface SlackSocket {
  readonly openedAtMs: number;
  /** True once Slack has announced the end of the socket, or it is closed. */
  isLeaving: boolean;
  /** Confirms an envelope; no effect after the end, when Slack sends it again through another socket. */
  acknowledge(id: string): void;
  close(): void;
}

interface SocketPorts {
  readonly monotonicMs: () => number;
  readonly onEnvelope: (envelope: Envelope, socket: SlackSocket) => void;
  /** Called when `isLeaving` becomes true. */
  readonly onLeaving: () => void;
}

function frameOf(data: unknown): z.infer<typeof Frame> | null {
  if (typeof data !== 'string' || data.length > FRAME_MAX_CHARS) return null;
  try {
    return Frame.safeParse(JSON.parse(data)).data ?? null;
  } catch {
    return null;
  }
}

/** Opens a socket. Rejects without a `hello` in time. */
export function openSlackSocket(address: URL, ports: SocketPorts): Promise<SlackSocket> {
  const web = new WebSocket(address);
  const socket: SlackSocket = {
    openedAtMs: ports.monotonicMs(),
    isLeaving: false,
    acknowledge: (id) => {
      if (web.readyState === WebSocket.OPEN) web.send(JSON.stringify({ envelope_id: id }));
    },
    close: () => web.close(),
  };
  const leave = (): void => {
    socket.isLeaving = true;
    ports.onLeaving();
  };
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new Error('a new socket got no hello from Slack'));
    const limit = setTimeout(() => {
      fail();
      web.close();
    }, HELLO_LIMIT_MS);
    const greet = (): void => {
      clearTimeout(limit);
      resolve(socket);
    };
    web.addEventListener('message', ({ data }) => {
      const frame = frameOf(data);
      if (frame?.type === 'hello') greet();
      else if (frame?.type === 'disconnect') leave();
      else if (frame?.envelope_id !== undefined)
        ports.onEnvelope({ id: frame.envelope_id, payload: frame.payload }, socket);
    });
    web.addEventListener('close', () => {
      clearTimeout(limit);
      fail();
      leave();
    });
    web.addEventListener('error', fail);
  });
}
