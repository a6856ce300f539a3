/** Wait before the first retry, and the longest wait, in milliseconds. */
export interface BackoffLimits {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** 2 to this power exceeds every ratio of `maxMs` to `firstMs`. */
const MAX_DOUBLINGS = 30;

/**
 * The wait before another attempt, in milliseconds: doubles with each failure up to the maximum.
 * @param failures failures in a row, at least 1
 * @param random 0 ≤ random < 1 spreads the wait over its upper half; 1 gives the whole of it
 */
export function backoffMs(failures: number, { firstMs, maxMs }: BackoffLimits, random = 1): number {
  const ceilingMs = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, MAX_DOUBLINGS));
  return ceilingMs * (0.5 + random / 2);
}
