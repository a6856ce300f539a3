/**
 * Runs `work` once at a time. Calls during a run share one further run after it, so that none of them misses what changed meanwhile. The promise
 * settles when no run is due any more; it rejects with what `work` threw, and the next call starts afresh.
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
