const TOGETHER_MAX = 500;

/**
 * Look-ups that are asked for in one turn of the event loop, or while others are under way, are made together by the next: a burst of requests costs one
 * round trip. Nothing is remembered: whoever asks is told what was read after they asked. `findAll` answers in the order of its keys; what it throws,
 * all are told who asked with it.
 */
export function gathered<T>(findAll: (keys: readonly string[]) => Promise<readonly T[]>): (key: string) => Promise<T> {
  const waiting = new Map<string, PromiseWithResolvers<T>>();
  let asking = false;

  async function ask(): Promise<void> {
    const asked = [...waiting].slice(0, TOGETHER_MAX);
    const keys = asked.map(([key]) => key);
    for (const key of keys) waiting.delete(key);
    try {
      const found = await findAll(keys);
      if (found.length !== keys.length) throw new Error(`${keys.length} were looked up and ${found.length} answered`);
      // In order, and as many as were asked: there is one for each.
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
