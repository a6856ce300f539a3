/** Runs a program with its output on the terminal. */
import { spawn } from 'node:child_process';
import { ROOT } from '../../village/paths.ts';

export interface StreamOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Returns the exit code; a signal counts as failure. */
export async function stream(program: string, args: readonly string[], options: StreamOptions = {}): Promise<number> {
  const child = spawn(program, args, { cwd: options.cwd ?? ROOT, env: { ...process.env, ...options.env }, stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve, reject) => child.on('error', reject).on('close', (code) => resolve(code ?? 1)));
}
