import { ProgramError, type Printed, type Program, type ProgramEnd, type ProgramPort } from '@hamlet/engine';
import { z } from 'zod';
import { connectHands, HandsError, type HandsClient } from './hands-client.ts';
import { joinedOutput, OutputPart, type EndedProcess } from './process-record.ts';
import type { WorkTrees } from './repository/work-trees.ts';
import { startProcess, untilEnded, type EnvironmentOf, type ProcessPlace } from './start-process.ts';

const READ_BYTES = 64 << 10;
/** Bytes of one stream that are kept as text; a longer stream keeps its first and last half. */
const KEPT_BYTES = 256 << 10;

interface ProgramsPlace {
  readonly environmentOf: EnvironmentOf;
  readonly trees: WorkTrees | null;
  /** A program that starts in the workspace starts in the work tree of its run. */
  readonly workspace: string;
  readonly ended: (place: ProcessPlace) => void;
}

const NOWHERE: ProgramsPlace = { environmentOf: () => ({}), trees: null, workspace: '/', ended: () => {} };

/** Runs programs in the hands through the supervisor at a socket. */
export const handsPrograms = (socketPath: string, place: ProgramsPlace = NOWHERE): ProgramPort => ({
  run: (program, ports) =>
    asPrograms(socketPath, async (hands) => {
      await start(hands, { program, place, signal: ports.signal });
      try {
        return await follow(hands, program, ports);
      } catch (error) {
        throw asProgramError(error, true);
      } finally {
        place.ended({ run: program.owner, call: MIND_CALL });
      }
    }),
  end: (owner) =>
    asPrograms(socketPath, async (hands) => {
      await hands.ask('close', { owner }, z.unknown()).catch((error: unknown) => {
        throw asProgramError(error, true);
      });
    }),
});

const RUN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const Owners = z.object({ processes: z.array(z.object({ owner: z.string().optional() })) });

/** Runs that have processes in the hands, including ended ones. Rejects with `ProgramError`. */
export const runsInHands = (socketPath: string): Promise<readonly string[]> =>
  asPrograms(socketPath, async (hands) => {
    const { processes } = await hands.ask('list', {}, Owners);
    return [...new Set(processes.flatMap(({ owner = '' }) => (RUN_ID.test(owner) ? [owner] : [])))];
  });

async function asPrograms<T>(path: string, use: (hands: HandsClient) => Promise<T>): Promise<T> {
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

/** The call name of a program that is the agent's runtime: its run has only this call. */
export const MIND_CALL = 'mind';

interface Starting {
  readonly program: Program;
  readonly place: ProgramsPlace;
  readonly signal: AbortSignal;
}

/** After a refusal nothing has started. After a lost connection that is unknown. */
async function start(
  hands: HandsClient,
  { program, place: { environmentOf, trees, workspace }, signal }: Starting,
): Promise<void> {
  const { id, owner, argv, env, stdin, timeoutMs } = program;
  const place = { run: owner, call: MIND_CALL };
  const tree = trees === null ? null : await trees.of(hands, place, signal);
  const cwd = tree !== null && program.cwd === workspace ? tree.folder : program.cwd;
  const process = { id, owner, place, argv, cwd, env, stdin, limits: { timeoutMs } };
  const answer = await startProcess(hands, process, environmentOf).catch((error: unknown) => {
    throw asProgramError(error, error instanceof HandsError && error.code === 'hands_lost');
  });
  if (answer.existing === true)
    throw new ProgramError('program_exists', `A program with the id ${id} was started before.`, { started: true });
}

type Ports = Parameters<ProgramPort['run']>[1];

/** Reads the output until the program has ended, and ends the processes that it left behind. */
async function follow(hands: HandsClient, { id, owner }: Program, { onOutput, signal }: Ports): Promise<ProgramEnd> {
  const output = collector(onOutput);
  const over = new AbortController();
  const reading = readAll(hands, id, { output, over: over.signal });
  try {
    const ended = await untilEnded(hands, id, signal);
    over.abort();
    await reading;
    // Further output may arrive after the last read, or from processes that the program left behind.
    await readRest(hands, id, output);
    await hands.ask('close', { owner }, z.unknown());
    return endOf(ended, output.printed(ended.stdout?.bytes ?? 0));
  } finally {
    over.abort();
    reading.catch(() => {});
  }
}

type Reading = Readonly<{ output: Collector; over: AbortSignal }>;

async function readAll(hands: HandsClient, id: string, { output, over }: Reading): Promise<void> {
  for (let more = true; more && !over.aborted;) {
    const args = { process: id, stream: 'stdout', offset: output.at, bytes: READ_BYTES, waitMs: 1_000 };
    const part = await hands.ask('read', args, OutputPart);
    output.add(part.data);
    ({ more } = part);
  }
}

async function readRest(hands: HandsClient, id: string, output: Collector): Promise<void> {
  for (let got = 1; got > 0;) {
    const args = { process: id, stream: 'stdout', offset: output.at, bytes: READ_BYTES };
    const { data } = await hands.ask('read', args, OutputPart);
    output.add(data);
    got = data.length;
  }
}

type Collector = ReturnType<typeof collector>;

function collector(onOutput: (text: string) => void) {
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
      if (text !== '') onOutput(text);
    },
    printed: (total: number): Printed => ({
      text: joinedOutput(first, last, Math.max(total, at)),
      bytes: Math.max(total, at),
    }),
  };
}

const NOTHING: Printed = { text: '', bytes: 0 };
const CAUSES = { exit: 'exit', killed: 'request', timeout: 'timeout', oom: 'memory', full: 'disk' } as const;

function endOf({ exit, stderr }: EndedProcess, stdout: Printed): ProgramEnd {
  return {
    code: exit.code ?? null,
    cause: CAUSES[exit.cause],
    stdout,
    stderr:
      stderr === undefined
        ? NOTHING
        : { text: joinedOutput(stderr.head, stderr.tail ?? Buffer.alloc(0), stderr.bytes), bytes: stderr.bytes },
  };
}
