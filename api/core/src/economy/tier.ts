import { type EntitlementSpec, parseAiDollars, type TierChange } from '@hamlet/contract';

/** The part of an Entitlement on which the choice of a tier depends. */
export interface BalanceTier {
  readonly name: string;
  /** Order of the tiers: an agent gets the highest open one. */
  readonly rank: number;
  /** The balance that opens the tier, in micro-aiDollars. */
  readonly minBalance: bigint;
}

/**
 * An agent keeps a tier until its balance is below the threshold by a tenth of that threshold. So a balance that swings around the
 * threshold does not change the pod each time.
 */
const SLACK_DIVISOR = 10n;
/** Text of a property that a tier does not have. */
const NOTHING = '-';

function leftBelow({ minBalance }: BalanceTier): bigint {
  return minBalance - (minBalance < 0n ? -minBalance : minBalance) / SLACK_DIVISOR;
}

function before(a: BalanceTier, b: BalanceTier): number {
  return b.rank - a.rank || Number(b.minBalance - a.minBalance) || a.name.localeCompare(b.name);
}

/**
 * The highest tier that a balance opens, or null if it opens none. A tier above the present one opens at its `minBalance`. The present
 * tier and those below it stay open down to 90 % of their `minBalance` (if that is negative: a tenth below it). Among tiers of one rank,
 * the one with the higher threshold comes first, then the first by name.
 *
 * @param balance sum of the account's entries in micro-aiDollars, money on hold included
 * @param current name of the present tier; null or the name of a deleted tier if there is none
 */
export function tierOfBalance(tiers: readonly BalanceTier[], balance: bigint, current: string | null): string | null {
  const present = tiers.find(({ name }) => name === current);
  const isOpen = (tier: BalanceTier): boolean => {
    const reachedBefore = present !== undefined && before(tier, present) >= 0;
    return balance >= (reachedBefore ? leftBelow(tier) : tier.minBalance);
  };
  return tiers.filter(isOpen).toSorted(before)[0]?.name ?? null;
}

/** An Entitlement with its name. */
export interface NamedTier {
  readonly name: string;
  readonly spec: EntitlementSpec;
}

/** The tier that a growing balance opens next: the lowest threshold above the balance, among the tiers above the present one. */
export function nextTier(tiers: readonly NamedTier[], balance: bigint, current: string | null): NamedTier | null {
  const rank = tiers.find(({ name }) => name === current)?.spec.rank ?? -1;
  const ahead = tiers.filter(({ spec }) => spec.rank > rank && parseAiDollars(spec.minBalance) > balance);
  return ahead.toSorted((a, b) => compareAhead(a, b))[0] ?? null;
}

/** Lower thresholds come first. If two are equal, the higher rank comes first, because the balance opens that tier. */
function compareAhead(a: NamedTier, b: NamedTier): number {
  const apart = parseAiDollars(a.spec.minBalance) - parseAiDollars(b.spec.minBalance);
  return Number(apart) || b.spec.rank - a.spec.rank || a.name.localeCompare(b.name);
}

function gpuText({ mode, resourceName, count, claimTemplateName }: EntitlementSpec['compute']['gpu']): string {
  if (mode === 'None') return NOTHING;
  return claimTemplateName === undefined
    ? `${mode} ${count} ${resourceName ?? 'nvidia.com/gpu'}`
    : `${mode} by ${claimTemplateName}`;
}

/** Properties of a tier as text, in the order in which pages show them. */
function aspectsOf({ limits, compute, price }: EntitlementSpec): ReadonlyMap<TierChange['what'], string> {
  return new Map([
    ['requests_per_minute', String(limits.requestsPerMinute)],
    ['concurrent_tools', String(limits.concurrentTools)],
    ['tokens_per_hour', String(limits.tokensPerHour)],
    ['models', limits.models.join(', ') || NOTHING],
    ['cpu', compute.resources.cpu],
    ['memory', compute.resources.memory],
    ['gpu', gpuText(compute.gpu)],
    ['priority_class', compute.priorityClassName ?? NOTHING],
    ['price_per_hour', price.perHour],
    ['price_per_thousand_tokens', price.perThousandTokens],
  ]);
}

/** Properties in which `to` differs from `from`; null stands for no tier, which has none of the properties. */
export function tierChanges(from: EntitlementSpec | null, to: EntitlementSpec): readonly TierChange[] {
  const earlier = from === null ? null : aspectsOf(from);
  return [...aspectsOf(to)].flatMap(([what, text]) => {
    const was = earlier?.get(what) ?? NOTHING;
    return was === text ? [] : [{ what, from: was, to: text }];
  });
}
