import { type EntitlementView, formatAiDollars, type TierChange } from '@hamlet/contract';
import { tierOfBalance } from '@hamlet/core';
import { readAmount } from './money-labels.ts';

/** Where a balance stands on the ladder of tiers. Amounts are decimal strings of aiDollars. */
interface TierOutlook {
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
interface Preview {
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

type Step = Pick<EntitlementView, 'name' | 'rank' | 'min_balance' | 'seats' | 'price'>;
/** A rung: `here` is the tier that the agent has, `next` the one above; `filled` is the share of the way to it that is gone, 0 to 1. */
export interface Rung {
  readonly name: string;
  readonly opensAt: string;
  readonly place: 'passed' | 'here' | 'next' | 'above';
  readonly filled: number;
  readonly seats: EntitlementView['seats'];
  readonly price: EntitlementView['price'];
}

/**
 * The tiers as rungs, highest first. A rung is filled by how far the balance has come from the one below to it.
 * @param balance micro-aiDollars
 * @param tier what the agent has now; null for none
 */
export function rungsOf(steps: readonly Step[], balance: bigint, tier: string | null): Rung[] {
  const ladder = steps.toSorted((left, right) => left.rank - right.rank);
  const rank = ladder.find(({ name }) => name === tier)?.rank ?? -1;
  const next = ladder.find((step) => step.rank > rank);
  return ladder
    .map((step, index) => {
      const place =
        step.name === tier
          ? ('here' as const)
          : step === next
            ? ('next' as const)
            : step.rank < rank
              ? ('passed' as const)
              : ('above' as const);
      const from = readAmount(ladder[index - 1]?.min_balance ?? '0') ?? 0n;
      return {
        name: step.name,
        opensAt: step.min_balance,
        place,
        filled: shareOf(balance, from, readAmount(step.min_balance) ?? 0n),
        seats: step.seats,
        price: step.price,
      };
    })
    .toReversed();
}

function shareOf(balance: bigint, from: bigint, to: bigint): number {
  if (balance >= to) return 1;
  if (balance <= from || to <= from) return 0;
  return Number(((balance - from) * 1000n) / (to - from)) / 1000;
}

/** Below which balance the present tier is lost, by the rule of the api; null where losing it is not possible. Amounts are micro-aiDollars. */
export function lostBelow(steps: readonly Step[], tier: string | null): bigint | null {
  const present = steps.find(({ name }) => name === tier);
  const least = present === undefined ? null : readAmount(present.min_balance);
  if (least === null || least <= 0n) return null;
  // The rule leaves a tier only somewhat below what opened it; found by asking the rule, so that it stands in one place.
  let kept = least;
  let lost = 0n;
  while (kept - lost > 1n) {
    const middle = (kept + lost) / 2n;
    if (tierOutlook(steps, middle, tier).tier === tier) kept = middle;
    else lost = middle;
  }
  return kept;
}

/** The changes that a person would buy the next tier for come first. */
const WEIGHT: Readonly<Record<TierChange['what'], number>> = {
  models: 0,
  tokens_per_hour: 1,
  requests_per_minute: 2,
  concurrent_tools: 3,
  gpu: 4,
  cpu: 5,
  memory: 6,
  priority_class: 7,
  price_per_hour: 8,
  price_per_thousand_tokens: 9,
};

export function byWeight(changes: readonly TierChange[]): TierChange[] {
  return changes.toSorted((left, right) => WEIGHT[left.what] - WEIGHT[right.what]);
}
