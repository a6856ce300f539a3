import { join } from 'node:path';
import type { HandsJob } from '../hands/hands-tool.ts';
import { HandsError } from '../hands/hands-client.ts';
import type { EndedProcess } from '../hands/process-record.ts';
import { processIdOf, startProcess, untilEnded } from '../hands/start-process.ts';

/** Programs of the village that run in the hands: their image has the same files as the resident's. */
const PROGRAMS = join(import.meta.dirname, 'programs');

export interface NetProgram {
  readonly file: 'fetch.ts' | 'browser/call.ts';
  /** Read by the program as JSON. */
  readonly input: object;
  readonly timeoutMs: number;
}

/** Heap of a program: a page that is made to use more ends the program, and not the container of a small tier. */
const HEAP_MIB = 160;

/** The command that runs a program of the village. */
export const programArgv = (file: string, ...args: readonly string[]): string[] => [
  'node',
  `--max-old-space-size=${HEAP_MIB}`,
  join(PROGRAMS, file),
  ...args,
];

/** Runs a program in the hands as the process of the call: every attempt of the call means the same process. Rejects with `HandsError`. */
export async function runProgram(
  { hands, kit, context }: HandsJob,
  { file, input, timeoutMs }: NetProgram,
): Promise<EndedProcess> {
  const place = { run: context.run, call: context.call };
  const id = processIdOf(place);
  const stdin = JSON.stringify(input);
  await startProcess(
    hands,
    { id, place, argv: programArgv(file), cwd: kit.workspace, stdin, limits: { timeoutMs } },
    kit.environmentOf,
  );
  return untilEnded(hands, id, context.signal);
}

/** The program of a call that an earlier process of the resident began; null if it is certain that none began. */
export async function foundProgram({ hands, context }: HandsJob): Promise<EndedProcess | null> {
  try {
    return await untilEnded(hands, processIdOf(context), context.signal);
  } catch (error) {
    if (error instanceof HandsError && error.code === 'no_such_process') return null;
    throw error;
  }
}
