import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { Failure } from './command.ts';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** kubectl, with this call's cluster and namespace. The plugin leaves kubeconfigs and authentication to kubectl. */
export interface Kubectl {
  run(args: readonly string[], input?: string): Promise<Ran>;
  json<T>(args: readonly string[], input?: string): Promise<T>;
  attached(args: readonly string[]): Promise<number>;
  start(args: readonly string[]): ReturnType<typeof spawn>;
}

/** The path of kubectl: HAMLET_KUBECTL, else the kubectl that called the plugin (shells set `$_`), else the one on PATH. */
function program(environment: NodeJS.ProcessEnv): string {
  const { HAMLET_KUBECTL: named, _: caller = '' } = environment;
  return named ?? (basename(caller) === 'kubectl' ? caller : 'kubectl');
}

/** A line that the API server adds when it stops at the first errors. It does not help a user. */
const UNFINISHED = /some validation rules were not checked/;

/** Errors of the API server in one line, without kubectl's prefixes. */
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
        reject(new Failure(`${path} cannot be run: put kubectl on PATH, or set HAMLET_KUBECTL to its path`)),
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
