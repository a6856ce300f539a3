import {
  type EntitlementBody,
  type EntitlementSpec,
  parseAiDollars,
  TIER_LIMITS,
  tierLimitsBy,
  type TierChange,
} from '@hamlet/contract';
import { compareText } from '../values/compare-text.ts';

export interface BalanceTier {
  readonly name: string;
  /** An agent gets the highest open tier. */
  readonly rank: number;
  /** Micro-aiDollars. */
  readonly minBalance: bigint;
}

/** A tier closes only 10 % below its threshold, so that a fluctuating balance does not replace the pod each time. */
const SLACK_DIVISOR = 10n;
const NOTHING = '-';

function leftBelow({ minBalance }: BalanceTier): bigint {
  return minBalance - (minBalance < 0n ? -minBalance : minBalance) / SLACK_DIVISOR;
}

function before(a: BalanceTier, b: BalanceTier): number {
  return b.rank - a.rank || Number(b.minBalance - a.minBalance) || compareText(a.name, b.name);
}

/**
 * The highest tier that a balance (holds included) opens, or null. A tier above the present one opens at its
 * `minBalance`; the present tier and those below it stay open down to 90 % of theirs. Between equal ranks, the higher
 * threshold wins.
 */
export function tierOfBalance(tiers: readonly BalanceTier[], balance: bigint, current: string | null): string | null {
  const present = tiers.find(({ name }) => name === current);
  const isOpen = (tier: BalanceTier): boolean => {
    const reachedBefore = present !== undefined && before(tier, present) >= 0;
    return balance >= (reachedBefore ? leftBelow(tier) : tier.minBalance);
  };
  return tiers.filter(isOpen).toSorted(before)[0]?.name ?? null;
}

export interface NamedTier {
  readonly name: string;
  readonly spec: EntitlementSpec;
}

/** The lowest threshold above the balance, among the tiers above the present one. */
export function nextTier(tiers: readonly NamedTier[], balance: bigint, current: string | null): NamedTier | null {
  const rank = tiers.find(({ name }) => name === current)?.spec.rank ?? -1;
  const ahead = tiers.filter(({ spec }) => spec.rank > rank && parseAiDollars(spec.minBalance) > balance);
  return ahead.toSorted((a, b) => compareAhead(a, b))[0] ?? null;
}

/** Between equal thresholds, the balance opens the tier of the higher rank. */
function compareAhead(a: NamedTier, b: NamedTier): number {
  const apart = parseAiDollars(a.spec.minBalance) - parseAiDollars(b.spec.minBalance);
  return Number(apart) || b.spec.rank - a.spec.rank || compareText(a.name, b.name);
}

function gpuText({ mode, resourceName, count, claimTemplateName }: EntitlementSpec['compute']['gpu']): string {
  if (mode === 'None') return NOTHING;
  return claimTemplateName === undefined
    ? `${mode} ${count} ${resourceName ?? 'nvidia.com/gpu'}`
    : `${mode} by ${claimTemplateName}`;
}

/** The limits of a custom resource with the names of the API. Pure. */
export const limitsOfTier = ({ limits }: Pick<EntitlementSpec, 'limits'>): EntitlementBody['limits'] => ({
  ...tierLimitsBy('name', ({ field }) => limits[field]),
  models: limits.models,
});

/** In the order in which pages show them. */
function aspectsOf({ limits, compute, price }: EntitlementSpec): ReadonlyMap<TierChange['what'], string> {
  return new Map([
    ...TIER_LIMITS.map(({ name, field }) => [name, String(limits[field])] as const),
    ['models', limits.models.join(', ') || NOTHING],
    ['cpu', compute.resources.cpu],
    ['memory', compute.resources.memory],
    ['gpu', gpuText(compute.gpu)],
    ['priority_class', compute.priorityClassName ?? NOTHING],
    ['price_per_hour', price.perHour],
    ['price_per_thousand_tokens', price.perThousandTokens],
  ]);
}

/** The properties that differ between two tiers; null means no tier. */
export function tierChanges(from: EntitlementSpec | null, to: EntitlementSpec): readonly TierChange[] {
  const earlier = from === null ? null : aspectsOf(from);
  return [...aspectsOf(to)].flatMap(([what, text]) => {
    const was = earlier?.get(what) ?? NOTHING;
    return was === text ? [] : [{ what, from: was, to: text }];
  });
}
