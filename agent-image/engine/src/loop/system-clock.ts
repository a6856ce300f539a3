import type { ClockPort } from './ports.ts';

export const SYSTEM_CLOCK: ClockPort = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  // The promises of `node:timers` create an exception with a stack for each aborted wait.
  sleep: (ms, signal) => {
    if (signal.aborted || ms <= 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    return promise;
  },
};
