/** An event that one task sets and another waits for. A set event stays set until the next wait or clear. */
export interface AsyncEvent {
  set(): void;
  clear(): void;
  /** Resolves when the event is set, after `ms`, or when the signal aborts; never rejects. Clears the event. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export function createAsyncEvent(): AsyncEvent {
  let isSet = false;
  let wake: () => void = () => {};
  return {
    set: () => {
      isSet = true;
      wake();
    },
    clear: () => {
      isSet = false;
    },
    wait: async (ms, signal) => {
      if (!isSet && !signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const onAbort = () => resolve();
        const timer = setTimeout(resolve, ms);
        wake = resolve;
        signal.addEventListener('abort', onAbort, { once: true });
        await promise;
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      }
      isSet = false;
    },
  };
}
