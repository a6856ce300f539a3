/**
 * Never runs `work` concurrently. Calls during a run share one more run after it, so that no caller misses a change made in
 * the meantime. The promise resolves when no run is due; it rejects with the error of `work`, and the next call starts
 * again.
 */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let due = false;
  async function runWhileDue(): Promise<void> {
    try {
      while (due) {
        due = false;
        await work();
      }
    } finally {
      running = null;
    }
  }
  return () => {
    due = true;
    running ??= Promise.resolve().then(runWhileDue);
    return running;
  };
}

/**
 * Like `coalesce`, with a result: calls before a run begins share it, and calls during a run share the next one. So each
 * caller gets a result that began after its call, and waits for at most two runs. A failure reaches the callers of its run alone.
 */
export function shareRuns<T>(work: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  return () => {
    if (next !== null) return next;
    const run = last.then(() => {
      next = null;
      return work();
    });
    last = run.catch(() => undefined);
    next = run;
    return run;
  };
}

/** Skips a run that comes due during another. The returned function stops it and waits for its run. */
export function repeat(
  periodMs: number,
  work: () => Promise<void>,
  failed: (error: unknown) => void,
): () => Promise<void> {
  let running: Promise<void> | null = null;
  const timer = setInterval(() => {
    running ??= work()
      .catch(failed)
      .finally(() => {
        running = null;
      });
  }, periodMs);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
