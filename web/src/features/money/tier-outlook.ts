import { type EntitlementView, formatAiDollars, type TierChange } from '@hamlet/contract';
import { tierOfBalance } from '@hamlet/core';
import { readAmount } from '../../client/labels.ts';

export type LadderStep = Pick<EntitlementView, 'name' | 'rank' | 'min_balance'>;

/** The name of a tier for people: `Free` if it costs nothing and is open to all agents, `no tier` without one. */
export function tierLabel(
  tiers: readonly Pick<EntitlementView, 'name' | 'min_balance' | 'price'>[],
  name: string | null,
): string {
  const tier = tiers.find((each) => each.name === name);
  if (tier === undefined) return name ?? 'no tier';
  const { min_balance: least, price } = tier;
  return isNothing(least) && isNothing(price.per_hour) && isNothing(price.per_thousand_tokens) ? 'Free' : tier.name;
}

const isNothing = (amount: string): boolean => readAmount(amount) === 0n;

/** The tier by the rule of the API, for micro-aiDollars and the present tier (null for none). */
export function tierAt(steps: readonly LadderStep[], balance: bigint, current: string | null): string | null {
  const tiers = steps.map(({ name, rank, min_balance: least }) => ({
    name,
    rank,
    minBalance: readAmount(least) ?? 0n,
  }));
  return tierOfBalance(tiers, balance, current);
}

type Preview = Readonly<{ after: string; tier: string | null; changes: boolean; tooMuch: boolean }>;

/** @param change micro-aiDollars, below zero for a penalty */
export function previewOf(
  steps: readonly LadderStep[],
  account: { readonly balance: bigint; readonly available: bigint; readonly tier: string | null },
  change: bigint,
): Preview {
  const after = account.balance + change;
  const tier = tierAt(steps, after, account.tier);
  return {
    after: formatAiDollars(after),
    tier,
    changes: tier !== account.tier,
    tooMuch: change < 0n && account.available + change < 0n,
  };
}

/** The effect on the tier: `tier-0 becomes tier-1`, `stays in tier-1`; empty without a tier. */
export function previewLabel(
  changes: boolean,
  { from, to, pinned }: { readonly from: string; readonly to: string | null; readonly pinned: string | null },
): string {
  if (pinned !== null) return `stays in ${pinned}, because it is pinned`;
  if (changes) return `${from} becomes ${to ?? 'no tier'}`;
  return to === null ? '' : `stays in ${to}`;
}

type Step = Pick<EntitlementView, 'name' | 'rank' | 'min_balance' | 'seats' | 'price'>;
/** `filled` is the share, 0 to 1, of the way from the previous tier's balance to this tier's. */
export interface Rung {
  readonly name: string;
  readonly opensAt: string;
  readonly place: 'passed' | 'here' | 'next' | 'above';
  readonly filled: number;
  readonly seats: EntitlementView['seats'];
  readonly price: EntitlementView['price'];
}

/**
 * The tiers, highest first, for a balance in micro-aiDollars and the present tier (null for none). Next is the tier
 * above the present one with the lowest threshold, as in the quote of the API.
 */
export function rungsOf(steps: readonly Step[], balance: bigint, tier: string | null): Rung[] {
  const ladder = steps.toSorted((left, right) => left.rank - right.rank || compareOpening(left, right));
  const here = ladder.findIndex(({ name }) => name === tier);
  const rank = ladder[here]?.rank ?? -1;
  const next = ladder.filter((step) => step.rank > rank).toSorted(compareOpening)[0];
  return ladder
    .map((step, index) => {
      const place =
        step.name === tier
          ? ('here' as const)
          : step === next
            ? ('next' as const)
            : index < here
              ? ('passed' as const)
              : ('above' as const);
      return {
        name: step.name,
        opensAt: step.min_balance,
        place,
        filled: shareOf(balance, openingBelow(ladder.slice(0, index), step), opensAt(step)),
        seats: step.seats,
        price: step.price,
      };
    })
    .toReversed();
}

const opensAt = ({ min_balance: least }: Step): bigint => readAmount(least) ?? 0n;

const compareOpening = (left: Step, right: Step): number => Number(opensAt(left) - opensAt(right));

/** The highest threshold of the tiers before `step` that is below its own; zero if there is none. */
function openingBelow(before: readonly Step[], step: Step): bigint {
  const below = before.map(opensAt).filter((least) => least < opensAt(step));
  return below.reduce((highest, least) => (least > highest ? least : highest), 0n);
}

function shareOf(balance: bigint, from: bigint, to: bigint): number {
  if (balance >= to) return 1;
  if (balance <= from || to <= from) return 0;
  return Number(((balance - from) * 1000n) / (to - from)) / 1000;
}

/** The lowest balance in micro-aiDollars that keeps the tier. Null without a tier, or if zero opens it. */
export function lostBelow(steps: readonly Step[], tier: string | null): bigint | null {
  const present = steps.find(({ name }) => name === tier);
  const least = present === undefined ? null : readAmount(present.min_balance);
  if (least === null || least <= 0n) return null;
  // Searches with the rule itself, so that the rule is written only once.
  let kept = least;
  let lost = 0n;
  while (kept - lost > 1n) {
    const middle = (kept + lost) / 2n;
    if (tierAt(steps, middle, tier) === tier) kept = middle;
    else lost = middle;
  }
  return kept;
}

const WEIGHT: Readonly<Record<TierChange['what'], number>> = {
  models: 0,
  tokens_per_hour: 1,
  requests_per_minute: 2,
  concurrent_tools: 3,
  concurrent_model_requests: 4,
  web_searches_per_hour: 5,
  web_requests_per_hour: 6,
  browser_calls_per_hour: 7,
  gpu: 8,
  cpu: 9,
  memory: 10,
  priority_class: 11,
  price_per_hour: 12,
  price_per_thousand_tokens: 13,
};

export function byWeight(changes: readonly TierChange[]): TierChange[] {
  return changes.toSorted((left, right) => WEIGHT[left.what] - WEIGHT[right.what]);
}
