import { connect, type Socket } from 'node:net';
import { z } from 'zod';

const VERSION = 1;
const MAX_FRAME_BYTES = 1 << 20;
const HEAD_BYTES = 4;
const HELLO_MS = 5_000;

const Answer = z.object({
  id: z.number(),
  ok: z.boolean(),
  data: z.unknown().optional(),
  code: z.string().optional(),
  message: z.string().optional(),
});

/** A refusal of the supervisor, or `hands_lost`: the connection ended, and the outcome is unknown. */
export class HandsError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** True for a refusal of the supervisor; false if the connection ended, which leaves the outcome unknown. */
export const isRefusal = (error: unknown): error is HandsError =>
  error instanceof HandsError && error.code !== 'hands_lost';

/** A connection to the supervisor of the hands. Requests may run in parallel. */
export interface HandsClient {
  /** Identifies one start of the container. */
  readonly boot: string;
  ask<T>(op: string, args: object, answer: z.ZodType<T>): Promise<T>;
  close(): void;
}

/** A client that connects a process to the hands, and can be reused. */
export interface HandsConnection extends HandsClient {
  /** True if it is connected and has no pending request. */
  isIdle(): boolean;
  /** If false, the connection does not keep this process alive; initially true. */
  keepAlive(holds: boolean): void;
}

type Waiting = Map<number, PromiseWithResolvers<unknown>>;

/** Connects to the socket of the hands. Rejects with `HandsError`. */
export async function connectHands(path: string): Promise<HandsConnection> {
  const socket = connect(path);
  const waiting: Waiting = new Map();
  let lost: HandsError | null = null;
  const lose = (why: string): void => {
    lost ??= new HandsError('hands_lost', `The connection to the hands ended: ${why}.`);
    for (const { reject } of waiting.values()) reject(lost);
    waiting.clear();
    socket.destroy();
  };
  socket.on('error', ({ message }) => lose(message));
  socket.on('close', () => lose('it was closed'));
  readFrames(socket, (message) => receive(waiting, message), lose);
  let last = 0;
  const ask: HandsClient['ask'] = async (op, args, answer) => {
    if (lost !== null) throw lost;
    const id = (last += 1);
    const reply = Promise.withResolvers<unknown>();
    waiting.set(id, reply);
    socket.write(frameOf({ id, op, args }));
    return answer.parse(await reply.promise);
  };
  const late = setTimeout(() => lose('the supervisor does not answer'), HELLO_MS);
  let boot: string;
  try {
    ({ boot } = await ask('hello', { version: VERSION }, z.object({ boot: z.string() })));
  } finally {
    clearTimeout(late);
  }
  return {
    boot,
    ask,
    close: () => lose('this process closed it'),
    isIdle: () => lost === null && waiting.size === 0,
    keepAlive: (holds) => void (holds ? socket.ref() : socket.unref()),
  };
}

/** True if the path exists in the root and does not lead out of it. */
export async function isThere(hands: Pick<HandsClient, 'ask'>, root: string, path: string): Promise<boolean> {
  try {
    await hands.ask('fs.stat', { root, path }, z.unknown());
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

export async function withHands<T>(path: string, use: (hands: HandsClient) => Promise<T>): Promise<T> {
  const hands = await connectHands(path);
  try {
    return await use(hands);
  } finally {
    hands.close();
  }
}

function frameOf(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  if (body.length > MAX_FRAME_BYTES) throw new HandsError('too_long', 'The request is longer than 1 MiB.');
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(body.length);
  return Buffer.concat([head, body]);
}

/** Splits the stream into messages. A message that is too long or not JSON ends the connection. */
function readFrames(socket: Socket, onMessage: (message: unknown) => void, lose: (why: string) => void): void {
  let unread: Buffer = Buffer.alloc(0);
  socket.on('data', (data: Buffer) => {
    unread = unread.length === 0 ? data : Buffer.concat([unread, data]);
    while (unread.length >= HEAD_BYTES) {
      const end = HEAD_BYTES + unread.readUInt32BE(0);
      if (end > HEAD_BYTES + MAX_FRAME_BYTES) return lose('it sent a message of more than 1 MiB');
      if (unread.length < end) return;
      const body = unread.subarray(HEAD_BYTES, end);
      unread = unread.subarray(end);
      try {
        onMessage(JSON.parse(body.toString()));
      } catch (error) {
        return lose(`it sent a message that cannot be read: ${String(error)}`);
      }
    }
  });
}

function receive(waiting: Waiting, message: unknown): void {
  const { id, ok, data, code = 'failed', message: why = 'The hands refused.' } = Answer.parse(message);
  const reply = waiting.get(id);
  waiting.delete(id);
  if (ok) reply?.resolve(data);
  else reply?.reject(new HandsError(code, why));
}
