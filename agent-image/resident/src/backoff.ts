/** Bounds of a pause before trying again, in milliseconds. */
export interface BackoffLimits {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Towards the api: quick enough that a restarted api has its agents back within seconds. */
export const API_BACKOFF: BackoffLimits = { firstMs: 250, maxMs: 5_000 };

/**
 * How long to wait after so many failures in a row (1 for the first): doubling, with half of it by chance,
 * so that a village of agents does not come back in step. `dice` is in 0…1.
 */
export function backoffMs(failures: number, dice: number, { firstMs, maxMs }: BackoffLimits = API_BACKOFF): number {
  const whole = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(whole / 2 + (whole / 2) * dice);
}
