/** The first and the longest wait, in milliseconds. */
type Limits = Readonly<{ firstMs: number; longestMs: number }>;
const RECONNECT: Limits = { firstMs: 500, longestMs: 15_000 };

/**
 * The wait before a retry, which doubles each time. Up to half of it is random, so that the browsers do not all
 * reconnect at once after a restart of the server.
 * @param attempt 0 for the first retry
 * @param chance a random number, 0 to 1
 */
export function backoffMs(attempt: number, chance: number, { firstMs, longestMs } = RECONNECT): number {
  const longest = Math.min(longestMs, firstMs * 2 ** Math.min(attempt, 16));
  return Math.round(longest / 2 + (longest / 2) * chance);
}
