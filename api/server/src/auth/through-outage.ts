import { isOutage } from '@hamlet/store';

const REMEMBERED_MAX = 10_000;
/** How long an answer may stand in while whoever knows better cannot be asked. */
const STAND_IN_MS = 300_000;

/** A look-up by a secret. `standIn`: whether an earlier answer may stand in while nobody can be asked; for reads only. */
export type LookUp<T> = (secret: string, standIn: boolean) => Promise<T>;

/**
 * A look-up that survives an outage: what was found last stands in while Postgres is away, so that the map stays readable. With `freshMs` an answer is
 * also reused for so long without asking. At most 10,000 answers are remembered.
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
