import { isOutage } from '@hamlet/store';

const REMEMBERED_MAX = 10_000;
/** Longest use of an earlier answer while the source is unreachable. */
const STAND_IN_MS = 300_000;
/** How long after a failure reads do not wait for the source. */
const OUTAGE_MS = 5_000;

/** A look-up by a secret. `standIn`: whether an earlier answer may be used while the source is unreachable; for reads only. */
export type LookUp<T> = (secret: string, standIn: boolean) => Promise<T>;

/**
 * A look-up that survives an outage: the last answer is used while Postgres is away, so that the map stays readable. A read does not wait for a
 * Postgres that failed within the last 5 s (a node that lost its power answers nothing, for as long as the connection's timeout): it gets the last
 * answer or the error at once, while one look-up in the background finds out whether Postgres is back. With `freshMs` an answer is also reused for
 * that long without asking. Caches at most 10,000 answers.
 */
export function throughOutage<T>(
  find: (secret: string) => Promise<T>,
  monotonicMs: () => number,
  options: { readonly freshMs: number } = { freshMs: 0 },
): LookUp<T> {
  const remembered = new Map<string, { readonly found: T; readonly atMs: number }>();
  let outage: { readonly error: unknown; readonly atMs: number } | null = null;
  let probing = false;

  async function ask(secret: string): Promise<T> {
    const askedAtMs = monotonicMs();
    try {
      const found = await find(secret);
      if (remembered.size >= REMEMBERED_MAX) remembered.clear();
      remembered.set(secret, { found, atMs: askedAtMs });
      outage = null;
      return found;
    } catch (error) {
      if (isOutage(error)) outage = { error, atMs: monotonicMs() };
      throw error;
    }
  }

  function probe(secret: string): void {
    if (probing) return;
    probing = true;
    // Its error is that of the outage, which the reads get.
    void ask(secret)
      .catch(() => undefined)
      .finally(() => {
        probing = false;
      });
  }

  /** The last answer where it may be used; throws the error otherwise. */
  function lastAnswer(secret: string, error: unknown): T {
    const before = remembered.get(secret);
    if (before !== undefined && monotonicMs() - before.atMs < STAND_IN_MS) return before.found;
    throw error;
  }

  return async (secret, standIn) => {
    const before = remembered.get(secret);
    if (before !== undefined && monotonicMs() - before.atMs < options.freshMs) return before.found;
    if (standIn && outage !== null && monotonicMs() - outage.atMs < OUTAGE_MS) {
      probe(secret);
      return lastAnswer(secret, outage.error);
    }
    try {
      return await ask(secret);
    } catch (error) {
      if (standIn && isOutage(error)) return lastAnswer(secret, error);
      throw error;
    }
  };
}
