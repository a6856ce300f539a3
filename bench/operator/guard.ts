import { spawn } from 'node:child_process';

/** Cleans up after a run. */
export interface Guard {
  /** Cleans up now; resolves when the script has ended. */
  clear(): Promise<void>;
}

/**
 * Runs a shell script (its arguments are `$1`, `$2` …) on demand, or as soon as this process ends for any reason. The
 * shell runs in its own process group and waits for the end of its input.
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
