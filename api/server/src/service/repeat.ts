/** Does work every so often, one at a time: what is late is skipped. Returns what stops it and waits for what is under way. */
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
