/** Wait before the first retry, and the longest wait, in milliseconds. */
export interface BackoffLimits {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** 2 to this power exceeds every ratio of `maxMs` to `firstMs`. */
const MAX_DOUBLINGS = 30;

/**
 * Milliseconds to wait after a number of consecutive failures, at least 1. The wait doubles up to the maximum.
 * @param random 0 ≤ random < 1 spreads the wait over its upper half; 1 gives the whole wait
 */
export function backoffMs(failures: number, { firstMs, maxMs }: BackoffLimits, random = 1): number {
  const ceilingMs = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, MAX_DOUBLINGS));
  return ceilingMs * (0.5 + random / 2);
}
