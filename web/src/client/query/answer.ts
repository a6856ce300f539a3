import type { Refused, Reply } from '../api.ts';
import { backoffMs } from '../backoff.ts';

/** The cached answer of a request. After a failure the last good data stays, with the refusal. */
export interface Answer<T> {
  readonly data: T | null;
  readonly refused: Refused | null;
  /** The number of refusals in a row. */
  readonly failures: number;
  /** A random number, 0 to 1, from the last failure: it spreads the retries of many browsers. */
  readonly chance: number;
}

/** The cached answer after a reply. `chance`: a random number from 0 to 1 that spreads retries. */
export function answerAfter<T>(before: Answer<T> | undefined, reply: Reply<T>, chance: number): Answer<T> {
  return reply.ok
    ? { data: reply.data, refused: null, failures: 0, chance: 0 }
    : { data: before?.data ?? null, refused: reply.refused, failures: (before?.failures ?? 0) + 1, chance };
}

/** The longest wait after failures, so that a page recovers soon after the village does. */
const SLOWEST_RETRY_MS = 15_000;

/** The wait before the next request: it grows with failures up to 15 s, or to the usual interval if that is longer. */
export function waitMs(everyMs: number, { failures, chance }: Pick<Answer<unknown>, 'failures' | 'chance'>): number {
  if (failures === 0) return everyMs;
  return backoffMs(failures, chance, { firstMs: everyMs, longestMs: Math.max(SLOWEST_RETRY_MS, everyMs) });
}
