import { spawn } from 'node:child_process';

/** Clears up after a run. */
export interface Guard {
  /** Cleans up now, and resolves when that is done. */
  clear(): Promise<void>;
}

/**
 * Runs a shell script (its arguments are `$1`, `$2` …) on demand, or as soon as this process ends for
 * any reason: it waits in its own process group for the end of its input.
 */
export function openGuard(script: string, args: readonly string[], env: NodeJS.ProcessEnv): Guard {
  const child = spawn('/bin/sh', ['-c', `cat >/dev/null\n${script}`, 'guard', ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env,
  });
  child.unref();
  return {
    clear: () =>
      new Promise((resolve) => {
        child.ref();
        child.once('exit', () => resolve());
        child.stdin?.end();
      }),
  };
}
