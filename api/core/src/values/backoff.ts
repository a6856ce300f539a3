/** The first and the longest wait, in one unit of time. */
export interface BackoffLimits {
  readonly first: number;
  readonly longest: number;
}

/** Above this number of doublings every wait is the longest. */
const DOUBLINGS_MAX = 30;

/**
 * The wait after `failures` (at least 1) consecutive failures, in the unit of the limits. It doubles with each failure.
 * @param random from 0 to 1; spreads the waits of several callers over the upper half
 */
export function backoff(failures: number, { first, longest }: BackoffLimits, random = 1): number {
  const whole = Math.min(longest, first * 2 ** Math.min(failures - 1, DOUBLINGS_MAX));
  return Math.round(whole * (0.5 + random / 2));
}
