/** The result of the first success, for all callers. A failure is for those who wait for it: the next call tries again. */
export function onceItSucceeds<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () =>
    (running ??= work().catch((error: unknown) => {
      running = null;
      throw error;
    }));
}
