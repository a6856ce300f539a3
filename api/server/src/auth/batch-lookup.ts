const TOGETHER_MAX = 500;

/**
 * Combines look-ups, so that a burst of requests costs few round trips: the look-ups of one turn of the event loop
 * become one query, and those that arrive during a query become the next one. A query has at most 500 keys. Nothing is
 * cached: each caller gets data that was read after its call. `findAll` returns one answer for each key, in the order
 * of the keys; if it throws, every caller of that query gets the error.
 */
export function batchLookup<T>(
  findAll: (keys: readonly string[]) => Promise<readonly T[]>,
): (key: string) => Promise<T> {
  const waiting = new Map<string, PromiseWithResolvers<T>>();
  let asking = false;

  async function ask(): Promise<void> {
    const asked = [...waiting].slice(0, TOGETHER_MAX);
    const keys = asked.map(([key]) => key);
    for (const key of keys) waiting.delete(key);
    try {
      const found = await findAll(keys);
      if (found.length !== keys.length)
        throw new Error(`the lookup of ${keys.length} keys returned ${found.length} answers`);
      for (const [index, [, { resolve }]] of asked.entries()) resolve(found[index] as T);
    } catch (error) {
      for (const [, { reject }] of asked) reject(error);
    }
  }

  async function askAll(): Promise<void> {
    while (waiting.size > 0) await ask();
    asking = false;
  }

  return (key) => {
    const before = waiting.get(key);
    if (before !== undefined) return before.promise;
    const wanted = Promise.withResolvers<T>();
    waiting.set(key, wanted);
    if (!asking) {
      asking = true;
      setImmediate(() => void askAll());
    }
    return wanted.promise;
  };
}
