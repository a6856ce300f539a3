/**
 * Runs programs. Their output goes to the caller and to a log; the error of a failed program contains the end of its
 * output.
 */
import { spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { Failure } from './failure.ts';
import { ROOT } from './paths.ts';

/** Number of lines of a failed program's output in its error. */
const TAIL_LINES = 30;
const KEPT_CHARACTERS = 8 << 20;

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly log?: string;
  readonly doing?: (line: string) => void;
  readonly fix?: string;
}

export interface RunResult {
  readonly code: number;
  readonly stdout: string;
  /** Both streams, in the order of their arrival. */
  readonly output: string;
}

/** Runs a program and returns its exit code and output. */
export async function tryRun(program: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const child = spawn(program, args, {
    cwd: options.cwd ?? ROOT,
    env: { ...process.env, ...options.env },
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  const log = openLog(options.log);
  log?.write(`$ ${program} ${args.join(' ')}\n`);
  // A program that ends early closes its input; its exit code is the error to report.
  child.stdin?.on('error', () => undefined).end(options.input);
  let stdout = '';
  let output = '';
  const keep = (lines: (text: string) => void) => (text: string) => {
    output = (output + text).slice(-KEPT_CHARACTERS);
    log?.write(text);
    lines(text);
  };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout = (stdout + text).slice(-KEPT_CHARACTERS)));
  child.stdout?.on('data', keep(lineSplitter(options.doing)));
  child.stderr?.setEncoding('utf8').on('data', keep(lineSplitter(options.doing)));
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.on('error', (error: NodeJS.ErrnoException) => reject(notRunnable(program, error)));
      child.on('close', (exit, signal) => resolve(exit ?? (signal === null ? 1 : 128)));
    });
    return { code, stdout, output };
  } finally {
    await closed(log);
  }
}

/** Runs a program and returns its standard output without the last newline. Throws on a non-zero exit code, with the end of the output. */
export async function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, stdout, output } = await tryRun(program, args, options);
  if (code === 0) return stdout.trimEnd();
  const tail = output.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
  const where = options.log === undefined ? '' : `\n  all of it: ${options.log}`;
  throw new Failure(
    `${program} ${args.slice(0, 3).join(' ')} … ended with code ${code}:\n${tail}${where}`,
    options.fix,
  );
}

function notRunnable(program: string, error: NodeJS.ErrnoException): Error {
  return error.code === 'ENOENT'
    ? new Failure(`${program} is not installed`, 'run make doctor: it lists what is missing')
    : error;
}

function lineSplitter(doing: ((line: string) => void) | undefined): (text: string) => void {
  let rest = '';
  return (text) => {
    if (doing === undefined) return;
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) doing(line);
  };
}

function openLog(file: string | undefined): WriteStream | undefined {
  return file === undefined ? undefined : createWriteStream(file, { flags: 'a', mode: 0o600 });
}

async function closed(log: WriteStream | undefined): Promise<void> {
  if (log === undefined) return;
  await new Promise<void>((resolve) => log.end(resolve));
}
