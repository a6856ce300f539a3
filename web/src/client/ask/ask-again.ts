/** After failures a question is asked at least this often, so that a page recovers soon after the village does. */
const SLOWEST_RETRY_MS = 15_000;

/**
 * How long to wait before a question is asked again. After failures the wait doubles, up to 15 s (or the usual interval where that is longer), and its
 * upper half is left to chance: many viewers of a village that comes back do not ask at once.
 * @param failures refusals in a row
 * @param chance 0 to 1
 */
export function askAgainMs(everyMs: number, failures: number, chance: number): number {
  if (failures === 0) return everyMs;
  const longest = Math.max(everyMs, Math.min(SLOWEST_RETRY_MS, everyMs * 2 ** Math.min(failures, 16)));
  return Math.round(longest / 2 + (longest / 2) * chance);
}
