/** Time, passed in so that tests decide it. */
export interface Clock {
  /** Milliseconds that only grow; no date. */
  now(): number;
  /** Calls `action` after `delayMs` at the earliest; returns what cancels it. */
  after(delayMs: number, action: () => void): () => void;
}

/** The clock of this process. A timer of it keeps nothing alive. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(delayMs, action) {
    const timer = setTimeout(action, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** The same; the process lives on while a timer of it waits. For what somebody awaits. */
export const wakefulClock: Clock = {
  now: () => performance.now(),
  after(delayMs, action) {
    const timer = setTimeout(action, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `delayMs` or when `signal` is aborted, whichever comes first. */
export function pause(delayMs: number, signal?: AbortSignal, clock: Clock = wakefulClock): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(delayMs, end);
    signal?.addEventListener('abort', end);
  });
}
