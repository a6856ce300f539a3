/**
 * Runs the work of one key in the order of the calls, even after a failure, and the work of different keys
 * concurrently.
 */
export type Turns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Mutable: it keeps the last work of each key until that ends. */
export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work);
    const over = turn.catch(() => {});
    last.set(key, over);
    void over.then(() => {
      if (last.get(key) === over) last.delete(key);
    });
    return turn;
  };
}
