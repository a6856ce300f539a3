type Limits = Readonly<{ firstMs: number; longestMs: number }>;
const RECONNECT: Limits = { firstMs: 500, longestMs: 15_000 };

/** The wait before a retry, which doubles. Half of it is random, so that browsers do not reconnect all at once. */
export function backoffMs(attempt: number, chance: number, { firstMs, longestMs } = RECONNECT): number {
  const longest = Math.min(longestMs, firstMs * 2 ** Math.min(attempt, 16));
  return Math.round(longest / 2 + (longest / 2) * chance);
}
