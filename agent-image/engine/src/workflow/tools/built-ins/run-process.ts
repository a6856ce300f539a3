import { spawn, type ChildProcess } from 'node:child_process';
import { isSystemError } from './tool-fault.ts';
import { OutputWindow } from './output-window.ts';

/** Time that a process has to end after the first signal. */
const GRACE_MS = 1_000;
/** Time for the rest of the output after the end, if a process that left the group keeps it open. */
const OUTPUT_MS = 500;

type ProcessRequest = Readonly<{
  argv: readonly string[];
  cwd: string;
  environment: Readonly<Record<string, string>>;
  timeoutMs: number;
  signal: AbortSignal;
  /** Gets the output while the process runs. */
  output: (text: string) => void;
}>;

/** `code` is null after a signal. `cause`: why it ended. */
export type ProcessEnd = Readonly<{
  cause: 'exit' | 'timeout' | 'cancel' | 'not_found';
  code: number | null;
  signal: string | null;
  stdout: OutputWindow;
  stderr: OutputWindow;
}>;

/**
 * Runs a program without a terminal in a process group of its own, and ends the whole group with it: at its end, at the timeout and
 * at a cancel, first by SIGTERM. A program that leaves the group (`setsid`) escapes; in the village the pod bounds it.
 */
export async function runProcess(request: ProcessRequest): Promise<ProcessEnd> {
  const { argv, cwd, environment, timeoutMs, signal } = request;
  const [program = '', ...args] = argv;
  const [stdout, stderr] = [new OutputWindow(), new OutputWindow()];
  if (signal.aborted) return { cause: 'cancel', code: null, signal: null, stdout, stderr };
  const child = spawn(program, args, { cwd, env: environment, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const [stream, window] of [
    [child.stdout, stdout],
    [child.stderr, stderr],
  ] as const)
    stream.on('data', (part: Buffer) => {
      window.add(part);
      request.output(part.toString());
    });
  const ended = endOf(child);
  const stopped = stopper(child, { timeoutMs, signal });
  try {
    const end = await ended;
    if (end === null) return { cause: 'not_found', code: null, signal: null, stdout, stderr };
    kill(child, 'SIGKILL');
    await restOfOutput(child);
    return { cause: stopped.cause() ?? 'exit', ...end, stdout, stderr };
  } finally {
    stopped.clear();
  }
}

type End = Readonly<{ code: number | null; signal: string | null }>;

/** Null if the program does not exist or is not executable. Listeners are there before the process can end. */
function endOf(child: ChildProcess): Promise<End | null> {
  const { promise, resolve, reject } = Promise.withResolvers<End | null>();
  child.once('exit', (code, signal) => resolve({ code, signal }));
  child.once('error', (error) => (isSystemError(error, 'ENOENT', 'EACCES', 'ENOEXEC') ? resolve(null) : reject(error)));
  return promise;
}

/** Signals the group. There is none if all its processes have ended. */
function kill({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch (error) {
    if (!isSystemError(error, 'ESRCH', 'EPERM')) throw error;
  }
}

type Stopper = Readonly<{ cause: () => 'timeout' | 'cancel' | null; clear: () => void }>;

function stopper(
  child: ChildProcess,
  { timeoutMs, signal }: Readonly<{ timeoutMs: number; signal: AbortSignal }>,
): Stopper {
  let cause: 'timeout' | 'cancel' | null = null;
  const timers: NodeJS.Timeout[] = [];
  const stop = (why: 'timeout' | 'cancel'): void => {
    if (cause !== null) return;
    cause = why;
    kill(child, 'SIGTERM');
    timers.push(setTimeout(() => kill(child, 'SIGKILL'), GRACE_MS));
  };
  const cancel = (): void => stop('cancel');
  timers.push(setTimeout(() => stop('timeout'), timeoutMs));
  signal.addEventListener('abort', cancel);
  return {
    cause: () => cause,
    clear: () => {
      for (const timer of timers) clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    },
  };
}

/** Waits until both outputs are read, for a bounded time. */
async function restOfOutput(child: ChildProcess): Promise<void> {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null && !stream.closed);
  const closed = Promise.all(streams.map((stream) => new Promise<void>((done) => stream?.once('close', () => done()))));
  const timer = Promise.withResolvers<void>();
  const timeout = setTimeout(timer.resolve, OUTPUT_MS);
  await Promise.race([closed, timer.promise]);
  clearTimeout(timeout);
  for (const stream of streams) stream?.destroy();
}
