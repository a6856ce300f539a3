/** Runs test files in a few worker processes, longest first. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { NODE, ROOT } from '../../../local/village/paths.ts';
import { longestFirst, type Durations } from '../durations.ts';
import type { Print } from '../part.ts';
import { compileCache } from './compile-cache.ts';
import type { FailedCase, FileResult } from './reporter.ts';

/** Time for a worker without a file to end. */
const END_LIMIT_MS = 10_000;
/** A worker is replaced after this many files, because each leaves about 1 MB; a start takes up to 2 s of processor time. */
const FILES_PER_WORKER = 120;
/** At this priority (nice) a process gets a quarter of a processor that it shares with another process. */
export const BACKGROUND = 5;

export interface PoolOptions {
  readonly workers: number;
  /** Further workers, each of which waits for its turn before each file. */
  readonly spare?: { readonly workers: number; readonly turn: (isOver: () => boolean) => Promise<void> };
  readonly print: Print;
  /** Runs at a low priority. */
  readonly inBackground?: boolean;
  /** Further variables of the workers. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly durations?: Durations;
  /** Time after which a file counts as failed. */
  readonly fileLimitMs: number;
}

export interface TimedResult extends FileResult {
  readonly ms: number;
}

interface Worker {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  /** Results that arrived before a file asked for them. */
  readonly inbox: FileResult[];
  files: number;
  /** True after a file has failed in this worker. */
  hasFailed: boolean;
}

/** The files that run at the moment, by the process of their worker. */
const running = new Map<number, string>();

/** Kills the workers of all running files, which count as failures. Returns the files. */
export function endRunningFiles(): readonly string[] {
  for (const pid of running.keys()) process.kill(pid, 'SIGKILL');
  return [...running.values()];
}

let interrupted = false;

/** Stops all pools from starting files. Running files end by the signal that this process received. */
export function startNoMoreFiles(): void {
  interrupted = true;
}

export const isInterrupted = (): boolean => interrupted;

/** Runs each file and calls `done` with its result. */
export async function runPool(
  files: readonly string[],
  options: PoolOptions,
  done: (result: TimedResult) => void,
): Promise<void> {
  const queue = [...longestFirst(files, options.durations ?? {})];
  const isOver = (): boolean => interrupted || queue.length === 0;
  const work = async (turn: () => Promise<void> | undefined = () => undefined): Promise<void> => {
    let worker: Worker | undefined;
    let last = '';
    const end = async (): Promise<undefined> => {
      const late = worker === undefined ? null : await retire(worker, last);
      if (late !== null) done({ ...late, ms: 0 });
    };
    const next = async (): Promise<string | undefined> => {
      await turn();
      return isOver() ? undefined : queue.shift();
    };
    for (let file = await next(); file !== undefined; file = await next()) {
      if (worker !== undefined && !isUsable(worker)) worker = await end();
      worker ??= startWorker(options);
      last = file;
      const result = await runFile(worker, file, options.fileLimitMs);
      worker.hasFailed = result.failures.length > 0;
      // Leftovers of a failed file could fail the next one.
      if (worker.hasFailed) worker.child.kill('SIGKILL');
      done(result);
    }
    await end();
  };
  const { workers, spare } = options;
  await Promise.all([
    ...Array.from({ length: workers }, () => work()),
    ...Array.from({ length: spare?.workers ?? 0 }, () => work(() => spare?.turn(isOver))),
  ]);
}

const isUsable = ({ child, files, hasFailed }: Worker): boolean =>
  child.connected && !hasFailed && files < FILES_PER_WORKER;

function startWorker({ print, inBackground = false, environment = {} }: PoolOptions): Worker {
  const child = spawn(
    'nice',
    [
      '-n',
      String(inBackground ? BACKGROUND : 0),
      NODE,
      `--import=${join(import.meta.dirname, 'test-scope.ts')}`,
      `--test-reporter=${join(import.meta.dirname, 'reporter.ts')}`,
      '--test-reporter-destination=stdout',
      join(import.meta.dirname, 'worker.ts'),
    ],
    {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // NODE_TEST_CONTEXT is set if a test runs this pool, and would replace the reporter.
      env: { ...process.env, ...compileCache(), ...environment, NODE_TEST_CONTEXT: undefined },
    },
  );
  for (const output of [child.stdout, child.stderr])
    if (output !== null) createInterface({ input: output }).on('line', (line) => line !== '' && print(line));
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const inbox: FileResult[] = [];
  child.on('message', (result) => inbox.push(result as FileResult));
  return { child, ended, inbox, files: 0, hasFailed: false };
}

/** A worker that ends before the file's result is a failure of the file. */
async function runFile(worker: Worker, file: string, limitMs: number): Promise<TimedResult> {
  const { child } = worker;
  const started = performance.now();
  worker.files += 1;
  let isOver = false;
  const limit = setTimeout(() => (isOver = child.kill('SIGKILL')), limitMs);
  if (child.pid !== undefined) running.set(child.pid, file);
  try {
    child.send({ file });
    const result = await resultOf(worker, file);
    const ms = Math.round(performance.now() - started);
    return isOver
      ? { ...failed(file, `it was ended after its limit of ${limitMs / 60_000} min`), ms }
      : { ...result, ms };
  } finally {
    clearTimeout(limit);
    if (child.pid !== undefined) running.delete(child.pid);
  }
}

/**
 * Waits for the result of the file. Results with other names belong to tests that were registered too late to be
 * counted.
 */
async function resultOf({ child, ended, inbox }: Worker, file: string): Promise<FileResult> {
  const arrived = new AbortController();
  let code: number | null | undefined;
  void ended.then((exit) => {
    code = exit;
    arrived.abort();
  });
  for (;;) {
    const own = inbox.find((result) => result.file === file);
    if (own !== undefined) {
      const late = inbox.splice(0).filter((result) => result !== own);
      return { ...own, failures: [...own.failures, ...late.map(({ file: name }) => lateTest(file, name))] };
    }
    if (code !== undefined) return failed(file, `its process ended ${howOf(code)} before its tests did`);
    await once(child, 'message', { signal: arrived.signal }).catch(() => undefined);
  }
}

const howOf = (code: number | null): string => (code === null ? 'by a signal' : `with code ${code}`);

const lateTest = (file: string, name: string): FailedCase => ({
  what: `${file}: "${name}" was registered after its file was loaded. Fix: await what registers it`,
  error: '',
});

const failed = (file: string, what: string): FileResult => ({
  file,
  passed: 0,
  skipped: 0,
  failures: [{ what: `${file}: ${what}`, error: '' }],
  cpuMs: 0,
});

/**
 * Lets the worker end by itself: without its channel nothing should keep it alive. Returns a failure of its last file
 * if a test failed late without a report, or if the worker does not end.
 */
async function retire({ child, ended, inbox, hasFailed }: Worker, last: string): Promise<FileResult | null> {
  if (child.connected) child.disconnect();
  const limit = setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS);
  const code = await ended;
  clearTimeout(limit);
  if (hasFailed || interrupted) return null;
  const [late] = inbox;
  if (late !== undefined) return { ...failed(last, ''), failures: [lateTest(last, late.file)] };
  return code === 0
    ? null
    : failed(last, `its worker ended ${howOf(code)} after it: this file or one before it fails late`);
}
