/** Prices are per hour, in milliseconds. */
export const HOUR_MS = 3_600_000;

/**
 * Price of tokens in micro-aiDollars, rounded up, so that even one token costs something if tokens have a price. Pure.
 * @param perThousand price of a thousand tokens in micro-aiDollars
 */
export function tokenCost(tokens: number, perThousand: bigint): bigint {
  return (BigInt(tokens) * perThousand + 999n) / 1_000n;
}

/**
 * Price of a pod's running time in micro-aiDollars, rounded up. Pure.
 * @param perHour price of an hour in micro-aiDollars
 */
export function timeCost(usedMs: number, perHour: bigint): bigint {
  const hour = BigInt(HOUR_MS);
  return (BigInt(Math.max(0, Math.ceil(usedMs))) * perHour + hour - 1n) / hour;
}
