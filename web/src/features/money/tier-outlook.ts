import { type EntitlementView, formatAiDollars } from '@hamlet/contract';
import { tierOfBalance } from '@hamlet/core';
import { readAmount } from './money-words.ts';

/** Where a balance stands on the ladder of tiers. Amounts are decimal strings of aiDollars. */
export interface TierOutlook {
  /** The tier that this balance opens; null where it opens none. */
  readonly tier: string | null;
  /** The next one up and how much is missing; null at the top. */
  readonly next: { readonly name: string; readonly missing: string } | null;
}

export type LadderStep = Pick<EntitlementView, 'name' | 'rank' | 'min_balance'>;

/**
 * What a balance opens by the rule of the api, which leaves a tier only a tenth below what opened it.
 * @param balance micro-aiDollars
 * @param current the present tier, null for none
 */
export function tierOutlook(steps: readonly LadderStep[], balance: bigint, current: string | null): TierOutlook {
  const tiers = steps.map(({ name, rank, min_balance: least }) => ({
    name,
    rank,
    minBalance: readAmount(least) ?? 0n,
  }));
  const name = tierOfBalance(tiers, balance, current);
  const rank = tiers.find((tier) => tier.name === name)?.rank ?? -1;
  const above = tiers
    .filter((tier) => tier.rank > rank && tier.minBalance > balance)
    .toSorted((left, right) => left.rank - right.rank)[0];
  return {
    tier: name,
    next: above === undefined ? null : { name: above.name, missing: formatAiDollars(above.minBalance - balance) },
  };
}

/** What a reward or a penalty would do, before it is sent. */
export interface Preview {
  readonly after: string;
  readonly tier: string | null;
  readonly changes: boolean;
  readonly tooMuch: boolean;
}

/** @param change micro-aiDollars, below zero for a penalty */
export function previewOf(
  steps: readonly LadderStep[],
  account: { readonly balance: bigint; readonly available: bigint; readonly tier: string | null },
  change: bigint,
): Preview {
  const after = account.balance + change;
  const { tier } = tierOutlook(steps, after, account.tier);
  return {
    after: formatAiDollars(after),
    tier,
    changes: tier !== account.tier,
    tooMuch: change < 0n && account.available + change < 0n,
  };
}

/** What a preview says of the tier: `tier-0 becomes tier-1`, `stays in tier-1`; nothing where there is none. */
export function previewWords(preview: Preview, present: string | null, pinned: string | null): string {
  if (pinned !== null) return `stays in ${pinned}, where it is pinned`;
  if (preview.changes) return `${present ?? 'no tier'} becomes ${preview.tier ?? 'no tier'}`;
  return preview.tier === null ? '' : `stays in ${preview.tier}`;
}
