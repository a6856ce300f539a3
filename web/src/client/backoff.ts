/** The first wait and the longest one, in milliseconds. */
type Limits = Readonly<{ firstMs: number; longestMs: number }>;
const RECONNECT: Limits = { firstMs: 500, longestMs: 15_000 };

/**
 * The wait before a retry. It doubles each time, and its upper half is random, so that the viewers of a restarted
 * server do not reconnect all at once.
 * @param attempt 0 for the first retry
 * @param chance 0 to 1
 */
export function backoffMs(attempt: number, chance: number, { firstMs, longestMs } = RECONNECT): number {
  const longest = Math.min(longestMs, firstMs * 2 ** Math.min(attempt, 16));
  return Math.round(longest / 2 + (longest / 2) * chance);
}
