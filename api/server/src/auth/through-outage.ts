import { isOutage } from '@hamlet/store';

const REMEMBERED_MAX = 10_000;
/** Longest use of an earlier answer while the source is unreachable. */
const STAND_IN_MS = 300_000;

/** A look-up by a secret. `standIn`: whether an earlier answer may be used while the source is unreachable; for reads only. */
export type LookUp<T> = (secret: string, standIn: boolean) => Promise<T>;

/**
 * A look-up that survives an outage: the last answer is used while Postgres is away, so that the map stays readable. With `freshMs` an answer is also
 * reused for that long without asking. Caches at most 10,000 answers.
 */
export function throughOutage<T>(
  find: (secret: string) => Promise<T>,
  monotonicMs: () => number,
  options: { readonly freshMs: number } = { freshMs: 0 },
): LookUp<T> {
  const remembered = new Map<string, { readonly found: T; readonly atMs: number }>();
  return async (secret, standIn) => {
    const before = remembered.get(secret);
    const nowMs = monotonicMs();
    if (before !== undefined && nowMs - before.atMs < options.freshMs) return before.found;
    try {
      const found = await find(secret);
      if (remembered.size >= REMEMBERED_MAX) remembered.clear();
      remembered.set(secret, { found, atMs: nowMs });
      return found;
    } catch (error) {
      if (standIn && isOutage(error) && before !== undefined && nowMs - before.atMs < STAND_IN_MS) return before.found;
      throw error;
    }
  };
}
