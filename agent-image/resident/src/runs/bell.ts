/** Something that rings and that one may wait for. A ring that nobody waits for is kept until the next wait. */
export interface Bell {
  ring(): void;
  /** Until it rings, or so many milliseconds, or the signal aborts: never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Forgets a ring that nobody has waited for. */
  hush(): void;
}

/** Mutable because it holds whether it has rung. */
export function createBell(): Bell {
  let rung = false;
  let wake: () => void = () => {};
  return {
    ring: () => {
      rung = true;
      wake();
    },
    hush: () => {
      rung = false;
    },
    wait: async (ms, signal) => {
      if (!rung && !signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, ms);
        wake = resolve;
        signal.addEventListener('abort', resolve as () => void, { once: true });
        await promise;
        clearTimeout(timer);
        signal.removeEventListener('abort', resolve as () => void);
      }
      rung = false;
    },
  };
}
