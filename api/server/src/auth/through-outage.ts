import { hash } from 'node:crypto';
import { isOutage } from '@hamlet/store';

const REMEMBERED_MAX = 10_000;
const STAND_IN_MS = 300_000;
const OUTAGE_MS = 5_000;

const keyOf = (secret: string): string => hash('sha256', secret, 'base64');

/** A look-up by a secret. `standIn` allows a cached answer while the source is unreachable; set it for reads only. */
export interface LookUp<T> {
  (secret: string, standIn: boolean): Promise<T>;
  earlier(secret: string): T | null;
}

/**
 * Wraps a look-up with a cache, so that the map can be read while Postgres is unreachable. A read does not wait for a Postgres
 * that failed within the last 5 s, because a connection to a dead node hangs until its timeout. Such a read gets the
 * cached answer or the error at once, while one look-up in the background checks whether Postgres is back. Answers
 * younger than `freshMs` need no look-up. Caches at most 10,000 answers by the hash of their secret, since strangers choose
 * the length of a token.
 */
export function throughOutage<T>(
  find: (secret: string) => Promise<T>,
  monotonicMs: () => number,
  options: { readonly freshMs: number } = { freshMs: 0 },
): LookUp<T> {
  const remembered = new Map<string, { readonly found: T; readonly atMs: number }>();
  let outage: { readonly error: unknown; readonly atMs: number } | null = null;
  let probing = false;

  /** Forgets the answer that was used the longest time ago, so that tokens of strangers do not push out those in use. */
  function remember(key: string, answer: { readonly found: T; readonly atMs: number }): void {
    remembered.delete(key);
    const [oldest] = remembered.keys();
    if (remembered.size >= REMEMBERED_MAX && oldest !== undefined) remembered.delete(oldest);
    remembered.set(key, answer);
  }

  async function ask(secret: string): Promise<T> {
    const askedAtMs = monotonicMs();
    try {
      const found = await find(secret);
      remember(keyOf(secret), { found, atMs: askedAtMs });
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
    // Reads have already received the outage's error, so this one is dropped.
    void ask(secret)
      .catch(() => undefined)
      .finally(() => {
        probing = false;
      });
  }

  function earlier(secret: string): T | null {
    const before = remembered.get(keyOf(secret));
    return before !== undefined && monotonicMs() - before.atMs < STAND_IN_MS ? before.found : null;
  }

  function lastAnswer(secret: string, error: unknown): T {
    const before = remembered.get(keyOf(secret));
    if (before !== undefined && monotonicMs() - before.atMs < STAND_IN_MS) return before.found;
    throw error;
  }

  const lookUp = async (secret: string, standIn: boolean): Promise<T> => {
    const before = remembered.get(keyOf(secret));
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
  return Object.assign(lookUp, { earlier });
}
