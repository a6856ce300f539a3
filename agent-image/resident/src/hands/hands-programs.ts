import { ProgramError, type Printed, type Program, type ProgramEnd, type ProgramPort } from '@hamlet/engine';
import { z } from 'zod';
import { connectHands, HandsError, type HandsClient } from './hands-client.ts';

/** Bytes of one read. */
const READ_BYTES = 64 << 10;
const WAIT_MS = 60_000;
/** Time for a program to end by itself after a cancel. */
const KILL_GRACE_MS = 500;
/** Bytes of one stream that are kept as text; of a longer one, its first and its last half. */
const KEPT_BYTES = 256 << 10;

const bytes = z.base64().transform((text) => Buffer.from(text, 'base64'));
const Part = z.object({ data: bytes, more: z.boolean() });
const Stream = z.object({ bytes: z.int(), kept: z.int(), head: bytes, tail: bytes.optional() });
const Record = z.object({
  state: z.string(),
  exit: z
    .object({
      code: z.int().optional(),
      signal: z.string().optional(),
      cause: z.enum(['exit', 'killed', 'timeout', 'oom']),
    })
    .optional(),
  stdout: Stream.optional(),
  stderr: Stream.optional(),
});
type Ended = z.infer<typeof Record> & { readonly exit: NonNullable<z.infer<typeof Record>['exit']> };

/** The programs that run in the hands, by the supervisor at a socket. */
export const handsPrograms = (socketPath: string): ProgramPort => ({
  run: (program, ports) =>
    withHands(socketPath, async (hands) => {
      await start(hands, program);
      try {
        return await follow(hands, program, ports);
      } catch (error) {
        throw asProgramError(error, true);
      }
    }),
  end: (owner) =>
    withHands(socketPath, async (hands) => {
      await hands.ask('close', { owner }, z.unknown()).catch((error: unknown) => {
        throw asProgramError(error, true);
      });
    }),
});

async function withHands<T>(path: string, use: (hands: HandsClient) => Promise<T>): Promise<T> {
  const hands = await connectHands(path).catch((error: unknown) => {
    throw asProgramError(error, false);
  });
  try {
    return await use(hands);
  } finally {
    hands.close();
  }
}

function asProgramError(error: unknown, started: boolean): unknown {
  return error instanceof HandsError ? new ProgramError(error.code, error.message, { started }) : error;
}

/** A refusal means that nothing started. A lost connection leaves that open. */
async function start(hands: HandsClient, { id, owner, argv, cwd, env, stdin, timeoutMs }: Program): Promise<void> {
  const input = Buffer.from(stdin).toString('base64');
  const spec = { process: id, owner, argv, cwd, env, stdin: input, limits: { timeoutMs } };
  const answer = await hands
    .ask('exec', spec, z.object({ existing: z.boolean().optional() }))
    .catch((error: unknown) => {
      throw asProgramError(error, error instanceof HandsError && error.code === 'hands_lost');
    });
  if (answer.existing === true)
    throw new ProgramError('program_exists', `A program with the id ${id} was started before.`, { started: true });
}

type Ports = Parameters<ProgramPort['run']>[1];

/** Reads the output until the program has ended, and ends what it left behind. */
async function follow(hands: HandsClient, { id, owner }: Program, { hear, signal }: Ports): Promise<ProgramEnd> {
  const kill = (): void => void hands.ask('kill', { process: id, graceMs: KILL_GRACE_MS }, z.unknown()).catch(() => {});
  if (signal.aborted) kill();
  else signal.addEventListener('abort', kill, { once: true });
  const output = collector(hear);
  const over = new AbortController();
  const reading = readAll(hands, id, { output, over: over.signal });
  try {
    const ended = await waitFor(hands, id);
    over.abort();
    await reading;
    // The last words came after the last read, or what the program left behind still writes.
    await readRest(hands, id, output);
    await hands.ask('close', { owner }, z.unknown());
    return endOf(ended, output.printed(ended.stdout?.bytes ?? 0));
  } finally {
    over.abort();
    signal.removeEventListener('abort', kill);
    reading.catch(() => {});
  }
}

async function waitFor(hands: HandsClient, id: string): Promise<Ended> {
  for (;;) {
    const { exit, ...record } = await hands.ask('wait', { process: id, timeoutMs: WAIT_MS }, Record);
    if (exit !== undefined) return { ...record, exit };
  }
}

type Reading = Readonly<{ output: Collector; over: AbortSignal }>;

async function readAll(hands: HandsClient, id: string, { output, over }: Reading): Promise<void> {
  for (let more = true; more && !over.aborted;) {
    const args = { process: id, stream: 'stdout', offset: output.at, bytes: READ_BYTES, waitMs: 1_000 };
    const part = await hands.ask('read', args, Part);
    output.add(part.data);
    ({ more } = part);
  }
}

async function readRest(hands: HandsClient, id: string, output: Collector): Promise<void> {
  for (let got = 1; got > 0;) {
    const args = { process: id, stream: 'stdout', offset: output.at, bytes: READ_BYTES };
    const { data } = await hands.ask('read', args, Part);
    output.add(data);
    got = data.length;
  }
}

type Collector = ReturnType<typeof collector>;

/** Keeps the first and the last part of a stream. Mutable because it collects. */
function collector(hear: (text: string) => void) {
  const decoder = new TextDecoder();
  let at = 0;
  let first: Buffer = Buffer.alloc(0);
  let last: Buffer = Buffer.alloc(0);
  return {
    get at() {
      return at;
    },
    add: (data: Buffer): void => {
      at += data.length;
      const room = Math.max(0, KEPT_BYTES / 2 - first.length);
      if (room > 0) first = Buffer.concat([first, data.subarray(0, room)]);
      last = Buffer.concat([last, data.subarray(room)]).subarray(-KEPT_BYTES / 2);
      const text = decoder.decode(data, { stream: true });
      if (text !== '') hear(text);
    },
    printed: (total: number): Printed => ({
      text: joined(first, last, Math.max(total, at)),
      bytes: Math.max(total, at),
    }),
  };
}

function joined(first: Buffer, last: Buffer, total: number): string {
  const left = total - first.length - last.length;
  const note = left === 0 ? '' : `\n[… ${left} bytes left out …]\n`;
  return left === 0 ? Buffer.concat([first, last]).toString() : `${first.toString()}${note}${last.toString()}`;
}

const NOTHING: Printed = { text: '', bytes: 0 };
const CAUSES = { exit: 'exit', killed: 'request', timeout: 'timeout', oom: 'memory' } as const;

function endOf({ exit, stderr }: Ended, stdout: Printed): ProgramEnd {
  return {
    code: exit.code ?? null,
    cause: CAUSES[exit.cause],
    stdout,
    stderr:
      stderr === undefined
        ? NOTHING
        : { text: joined(stderr.head, stderr.tail ?? Buffer.alloc(0), stderr.bytes), bytes: stderr.bytes },
  };
}
