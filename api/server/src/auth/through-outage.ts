import { isConnectionError } from '@hamlet/store';

const REMEMBERED_MAX = 10_000;
/** How long an answer may stand in while whoever knows better cannot be asked. */
const STAND_IN_MS = 300_000;

/**
 * A look-up that survives an outage: what was found last stands in while Postgres is away, so that the map stays readable. With `freshMs` an answer is
 * also reused for so long without asking. At most 10,000 answers are remembered.
 */
export function throughOutage<T>(find: (secret: string) => Promise<T>, monotonicMs: () => number, options: { readonly freshMs: number } = { freshMs: 0 }): (secret: string) => Promise<T> {
  const remembered = new Map<string, { readonly found: T; readonly atMs: number }>();
  return async (secret) => {
    const before = remembered.get(secret);
    const nowMs = monotonicMs();
    if (before !== undefined && nowMs - before.atMs < options.freshMs) return before.found;
    try {
      const found = await find(secret);
      if (remembered.size >= REMEMBERED_MAX) remembered.clear();
      remembered.set(secret, { found, atMs: nowMs });
      return found;
    } catch (error) {
      if (isConnectionError(error) && before !== undefined && nowMs - before.atMs < STAND_IN_MS) return before.found;
      throw error;
    }
  };
}
