/** An Entitlement as the balance sees it. */
export interface BalanceTier {
  readonly name: string;
  /** Order of the tiers; the highest that is open is taken. */
  readonly rank: number;
  /** The balance that opens it, in micro-aiDollars. */
  readonly minBalance: bigint;
}

/** A tier is left a tenth of its threshold below it, so that a balance that swings around the threshold does not change pods each time. */
const SLACK_DIVISOR = 10n;

function leftBelow({ minBalance }: BalanceTier): bigint {
  return minBalance - (minBalance < 0n ? -minBalance : minBalance) / SLACK_DIVISOR;
}

function before(a: BalanceTier, b: BalanceTier): number {
  return b.rank - a.rank || Number(b.minBalance - a.minBalance) || a.name.localeCompare(b.name);
}

/**
 * The tier that a balance opens, or null where it opens none. Each threshold has two edges: a tier above the present one opens at its
 * `minBalance`; the present one and those below it stay open down to 90 % of theirs (for a negative threshold: a tenth further down).
 * Of two tiers of one rank the one with the higher threshold is taken, then the first by name.
 *
 * @param balance what the account's entries sum to, in micro-aiDollars; what is held counts
 * @param current name of the present tier; null, or a name that is gone, where there is none
 */
export function tierOfBalance(tiers: readonly BalanceTier[], balance: bigint, current: string | null): string | null {
  const present = tiers.find(({ name }) => name === current);
  const isOpen = (tier: BalanceTier): boolean => {
    const reachedBefore = present !== undefined && before(tier, present) >= 0;
    return balance >= (reachedBefore ? leftBelow(tier) : tier.minBalance);
  };
  return tiers.filter(isOpen).toSorted(before)[0]?.name ?? null;
}
