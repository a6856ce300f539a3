import { rejectOnAbort } from '../village/retry.ts';

export interface BodyLock {
  /** Runs the walk after all earlier walks have ended. Rejects with the signal's reason while it waits. */
  walk<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T>;
}

export function createBodyLock(): BodyLock {
  let last: Promise<unknown> = Promise.resolve();
  return {
    walk: async (signal, run) => {
      const before = last;
      const { promise, resolve } = Promise.withResolvers<void>();
      last = before.then(() => promise);
      try {
        await Promise.race([before, rejectOnAbort(signal)]);
        return await run();
      } finally {
        resolve();
      }
    },
  };
}
