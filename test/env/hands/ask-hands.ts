import type { Village } from '../village.ts';

/** Sends requests to the supervisor from the resident's container, each in a frame, and prints the answers. */
const ASK = `
  const socket = require('node:net').connect(process.env.HAMLET_HANDS_SOCKET);
  const asked = JSON.parse(process.argv[1]);
  const frame = (value) => {
    const body = Buffer.from(JSON.stringify(value));
    const head = Buffer.alloc(4);
    head.writeUInt32BE(body.length);
    return Buffer.concat([head, body]);
  };
  let read = Buffer.alloc(0);
  const answers = [];
  const next = () => socket.write(frame({ id: answers.length, ...asked[answers.length] }));
  socket.on('connect', next).on('data', (data) => {
    read = Buffer.concat([read, data]);
    if (read.length < 4 || read.length < 4 + read.readUInt32BE(0)) return;
    answers.push(JSON.parse(read.subarray(4, 4 + read.readUInt32BE(0)).toString()));
    read = Buffer.alloc(0);
    if (answers.length < asked.length) return next();
    process.stdout.write(JSON.stringify(answers), () => process.exit(0));
  });`;

export interface HandsAnswer {
  readonly ok: boolean;
  readonly code?: string;
  readonly message?: string;
  readonly data: {
    readonly boots?: number;
    readonly lost?: readonly { readonly process: string }[];
    readonly exit?: { readonly cause: string; readonly code?: number; readonly note?: string };
    readonly stdout?: { readonly head: string; readonly bytes: number; readonly kept: number };
    readonly stderr?: { readonly head: string };
  };
}

/** The answers of an agent's hands: to the hello, and to each request. */
export async function askHands(
  { kubectl }: Village,
  pod: string,
  requests: readonly object[],
): Promise<readonly HandsAnswer[]> {
  const all = JSON.stringify([{ op: 'hello', args: { version: 1 } }, ...requests]);
  const output = await kubectl(['exec', pod, '-c', 'resident', '--', 'node', '-e', ASK, all]);
  return JSON.parse(output) as readonly HandsAnswer[];
}

/** An id for a program that is new in each test run: hands start no id twice, and a village's hands outlive a run. */
export const idOf = (name: string): string => `${name}-${process.pid}`;

export const runIn = (name: string, argv: readonly string[]): object => ({
  op: 'exec',
  args: { process: idOf(name), owner: 'e2e', argv },
});

export const waitFor = (name: string): object => ({ op: 'wait', args: { process: idOf(name), timeoutMs: 60_000 } });
