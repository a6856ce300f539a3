/** Milliseconds in the hour that a price is for. */
export const HOUR_MS = 3_600_000;

/**
 * Price of tokens in micro-aiDollars, rounded up, so that use is never free if it has a price. @param perThousand micro-aiDollars. Pure.
 */
export function tokenCost(tokens: number, perThousand: bigint): bigint {
  return (BigInt(tokens) * perThousand + 999n) / 1_000n;
}

/**
 * Price of running for a time in micro-aiDollars, rounded up. @param perHour micro-aiDollars. Pure.
 */
export function timeCost(usedMs: number, perHour: bigint): bigint {
  const hour = BigInt(HOUR_MS);
  return (BigInt(Math.max(0, Math.ceil(usedMs))) * perHour + hour - 1n) / hour;
}
