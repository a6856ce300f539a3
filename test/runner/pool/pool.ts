/** Runs test files in a few worker processes, longest first. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { NODE, ROOT } from '../../../local/village/paths.ts';
import { longestFirst, type Durations } from '../durations.ts';
import type { Print } from '../part.ts';
import type { FileResult } from './reporter.ts';

/** Twice the longest wait for a kubelet. */
const FILE_LIMIT_MS = 900_000;
/** Time for a worker without a file to end. */
const END_LIMIT_MS = 10_000;
/** A worker is replaced after this many files, so that its memory stays small. */
const FILES_PER_WORKER = 60;
/** At this priority a process gets about a ninth of a processor that other processes use too. */
const BACKGROUND = 10;

export interface PoolOptions {
  readonly workers: number;
  readonly print: Print;
  /** Runs at a low priority. */
  readonly inBackground?: boolean;
  readonly durations?: Durations;
}

export interface TimedResult extends FileResult {
  readonly ms: number;
}

interface Worker {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  files: number;
}

/** The files that run at the moment, by the process of their worker. */
const running = new Map<number, string>();

/** Kills the workers of all running files, which count as failures. Returns the files. */
export function endRunningFiles(): readonly string[] {
  for (const pid of running.keys()) process.kill(pid, 'SIGKILL');
  return [...running.values()];
}

/** Runs each file and calls `done` with its result. */
export async function runPool(
  files: readonly string[],
  options: PoolOptions,
  done: (result: TimedResult) => void,
): Promise<void> {
  const cache = mkdtempSync(join(tmpdir(), 'hamlet-compiled-'));
  const queue = [...longestFirst(files, options.durations ?? {})];
  const work = async (): Promise<void> => {
    let worker: Worker | undefined;
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      if (worker !== undefined && !isUsable(worker)) worker = await retire(worker);
      worker ??= startWorker(cache, options);
      const result = await runFile(worker, file);
      // Leftovers of a failed file could fail the next one.
      if (result.failures.length > 0) worker.child.kill('SIGKILL');
      done(result);
    }
    if (worker !== undefined) await retire(worker);
  };
  try {
    await Promise.all(Array.from({ length: options.workers }, work));
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

const isUsable = ({ child, files }: Worker): boolean => child.connected && !child.killed && files < FILES_PER_WORKER;

function startWorker(cache: string, { print, inBackground = false }: PoolOptions): Worker {
  const child = spawn(
    'nice',
    [
      '-n',
      String(inBackground ? BACKGROUND : 0),
      NODE,
      `--test-reporter=${join(import.meta.dirname, 'reporter.ts')}`,
      '--test-reporter-destination=stdout',
      join(import.meta.dirname, 'worker.ts'),
    ],
    {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // The workers load much the same modules, so only the first of them strips and compiles a module.
      // NODE_TEST_CONTEXT is set if a test runs this pool, and would replace the reporter.
      env: { ...process.env, NODE_COMPILE_CACHE: cache, NODE_TEST_CONTEXT: undefined },
    },
  );
  for (const output of [child.stdout, child.stderr])
    if (output !== null) createInterface({ input: output }).on('line', (line) => line !== '' && print(line));
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return { child, ended, files: 0 };
}

/** A worker that ends before the file's result is a failure of the file. */
async function runFile(worker: Worker, file: string): Promise<TimedResult> {
  const { child, ended } = worker;
  const started = performance.now();
  worker.files += 1;
  const answered = new AbortController();
  const limit = setTimeout(() => child.kill('SIGKILL'), FILE_LIMIT_MS);
  if (child.pid !== undefined) running.set(child.pid, file);
  try {
    child.send({ file });
    const result = await Promise.race([
      once(child, 'message', { signal: answered.signal }).then(([message]) => message as FileResult),
      ended.then((code) => deadResult(file, code)),
    ]);
    return { ...result, ms: Math.round(performance.now() - started) };
  } finally {
    answered.abort();
    clearTimeout(limit);
    if (child.pid !== undefined) running.delete(child.pid);
  }
}

function deadResult(file: string, code: number | null): FileResult {
  const what = `${file}: its process ended ${code === null ? 'by a signal' : `with ${code}`} before its tests did`;
  return { file, passed: 0, skipped: 0, failures: [{ what, error: '' }], cpuMs: 0 };
}

/** Lets the worker end by itself: without its channel nothing should keep it alive. */
async function retire({ child, ended }: Worker): Promise<undefined> {
  if (child.connected) child.disconnect();
  const limit = setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS);
  await ended;
  clearTimeout(limit);
}
