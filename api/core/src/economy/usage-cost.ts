export const HOUR_MS = 3_600_000;

/** Micro-aiDollars, rounded up so that even one token costs something. `perThousand`: micro-aiDollars. Pure. */
export function tokenCost(tokens: number, perThousand: bigint): bigint {
  return (BigInt(tokens) * perThousand + 999n) / 1_000n;
}

/** Micro-aiDollars, rounded up. `perHour`: micro-aiDollars. Pure. */
export function timeCost(usedMs: number, perHour: bigint): bigint {
  const hour = BigInt(HOUR_MS);
  return (BigInt(Math.max(0, Math.ceil(usedMs))) * perHour + hour - 1n) / hour;
}
