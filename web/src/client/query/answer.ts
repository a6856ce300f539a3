import type { Refused, Reply } from '../api.ts';
import { backoffMs } from '../backoff.ts';

/** The state of a question. After a failure the last good data stays, beside the refusal. */
export interface Answer<T> {
  readonly data: T | null;
  readonly refused: Refused | null;
  /** Refusals in a row. */
  readonly failures: number;
  /** 0 to 1, drawn at the last failure: spreads the retries of many viewers. */
  readonly chance: number;
}

/** The answer after a reply. `chance` is 0 to 1. */
export function answerAfter<T>(before: Answer<T> | undefined, reply: Reply<T>, chance: number): Answer<T> {
  return reply.ok
    ? { data: reply.data, refused: null, failures: 0, chance: 0 }
    : { data: before?.data ?? null, refused: reply.refused, failures: (before?.failures ?? 0) + 1, chance };
}

/** After failures a question is still asked at least this often, so that a page recovers soon after the village does. */
const SLOWEST_RETRY_MS = 15_000;

/** How long to wait before asking again: after failures it grows up to 15 s, or to the usual interval where that is longer. */
export function waitMs(everyMs: number, { failures, chance }: Pick<Answer<unknown>, 'failures' | 'chance'>): number {
  if (failures === 0) return everyMs;
  return backoffMs(failures, chance, { firstMs: everyMs, longestMs: Math.max(SLOWEST_RETRY_MS, everyMs) });
}
