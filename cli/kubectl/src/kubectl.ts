import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { Failure } from './failure.ts';

/** What a run of kubectl came to. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** kubectl against the cluster and namespace of this call: it reads kubeconfigs and proves who we are as no copy of it could. */
export interface Kubectl {
  /** Runs it to its end, whatever its exit code. */
  run(args: readonly string[], input?: string): Promise<Ran>;
  /** Runs it and reads its JSON; a failure is told in kubectl's own words. */
  json<T>(args: readonly string[], input?: string): Promise<T>;
  /** Runs it with this terminal; its exit code. */
  attached(args: readonly string[]): Promise<number>;
  /** Starts it and leaves it running. */
  start(args: readonly string[]): ReturnType<typeof spawn>;
}

/** The kubectl that called us if it says so (shells do, by `$_`), or the one on PATH. */
function program(environment: NodeJS.ProcessEnv): string {
  const { HAMLET_KUBECTL: named, _: caller = '' } = environment;
  return named ?? (basename(caller) === 'kubectl' ? caller : 'kubectl');
}

/** What the API server adds when it stopped at the first problems: no news to a person. */
const UNFINISHED = /some validation rules were not checked/;

/** Errors of the API server in one line, without the words that every one of them begins with. */
export function plainError(stderr: string): string {
  const lines = stderr
    .trim()
    .replace(/^error: /i, '')
    .replace(/^Error from server \((\w+)\): /, '')
    .replace(/^error when \S+ "[^"]*": /, '')
    .replace(/^The \w+ "[^"]*" is invalid:\s*/, '')
    .split('\n');
  return lines
    .filter((line) => !UNFINISHED.test(line))
    .map((line) => line.replace(/^\* /, '').trim())
    .join('; ');
}

/** @param flags that say which cluster and namespace, as kubectl takes them */
export function kubectlWith(flags: readonly string[], environment: NodeJS.ProcessEnv = process.env): Kubectl {
  const path = program(environment);
  const start = (args: readonly string[], stdio: 'pipe' | 'inherit' = 'pipe'): ReturnType<typeof spawn> =>
    spawn(path, [...flags, ...args], { stdio, env: environment });

  const run = (args: readonly string[], input?: string): Promise<Ran> =>
    new Promise((resolve, reject) => {
      const child = start(args);
      const out: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
      child.stdout?.on('data', (chunk: Buffer) => out.stdout.push(chunk));
      child.stderr?.on('data', (chunk: Buffer) => out.stderr.push(chunk));
      child.once('error', () =>
        reject(new Failure(`${path} cannot be run: put kubectl on PATH, or its path into HAMLET_KUBECTL`)),
      );
      child.once('close', (code) =>
        resolve({
          code: code ?? 1,
          stdout: Buffer.concat(out.stdout).toString('utf8'),
          stderr: Buffer.concat(out.stderr).toString('utf8'),
        }),
      );
      child.stdin?.end(input ?? '');
    });

  return {
    run,
    json: async <T>(args: readonly string[], input?: string): Promise<T> => {
      const { code, stdout, stderr } = await run([...args, '--output=json'], input);
      if (code !== 0) throw new Failure(plainError(stderr));
      return JSON.parse(stdout) as T;
    },
    attached: (args) =>
      new Promise((resolve, reject) => {
        const child = start(args, 'inherit');
        child.once('error', reject);
        child.once('close', (code) => resolve(code ?? 1));
      }),
    start: (args) => start(args),
  };
}
