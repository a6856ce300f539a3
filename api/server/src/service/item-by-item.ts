import { isConnectionError, isVillageFrozenError } from '@hamlet/store';
import type { Log } from './log.ts';

/** Pause before a failed item is tried again; it doubles with each failure. */
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 300_000;
/** Maximum number of failed items that are remembered, the newest ones. */
const REMEMBERED_MAX = 1_000;

export interface Batch<T> {
  readonly log: Log;
  /** The line of the log for an item that failed. */
  readonly message: string;
  readonly keyOf: (item: T) => string;
  readonly monotonicMs?: () => number;
}

/**
 * Returns a function that works through the items of a batch and counts those for which `work` resolves with true. An item that fails
 * is logged and skipped, now and until its pause is over, so that the others are done. Without Postgres, and in a freeze, it throws.
 */
export function itemByItem<T>({ log, message, keyOf, monotonicMs = () => performance.now() }: Batch<T>) {
  const failed = new Map<string, { readonly failures: number; readonly untilMs: number }>();

  function note(item: string, error: unknown): void {
    const failures = (failed.get(item)?.failures ?? 0) + 1;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
    failed.delete(item);
    failed.set(item, { failures, untilMs: monotonicMs() + pauseMs });
    const [oldest] = failed.keys();
    if (failed.size > REMEMBERED_MAX && oldest !== undefined) failed.delete(oldest);
    log('warn', message, { item, failures, again_in_ms: pauseMs, error });
  }

  return async (items: readonly T[], work: (item: T) => Promise<boolean>): Promise<number> => {
    let done = 0;
    for (const item of items) {
      const key = keyOf(item);
      if (monotonicMs() < (failed.get(key)?.untilMs ?? 0)) continue;
      try {
        if (await work(item)) done += 1;
        failed.delete(key);
      } catch (error) {
        if (isConnectionError(error) || isVillageFrozenError(error)) throw error;
        note(key, error);
      }
    }
    return done;
  };
}
