/** The first wait, and the longest one that it grows to. */
interface Limits {
  readonly firstMs: number;
  readonly longestMs: number;
}
const RECONNECT: Limits = { firstMs: 500, longestMs: 15_000 };

/**
 * How long to wait before trying again: it doubles each time, and the upper half is left to chance, so that many viewers of a restarted
 * server do not come back at once.
 * @param attempt 0 for the first retry
 * @param chance 0 to 1
 */
export function backoffMs(attempt: number, chance: number, { firstMs, longestMs } = RECONNECT): number {
  const longest = Math.min(longestMs, firstMs * 2 ** Math.min(attempt, 16));
  return Math.round(longest / 2 + (longest / 2) * chance);
}
