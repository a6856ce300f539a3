import { parseAiDollars } from '@hamlet/contract';
import type { EntitlementSpec, TierChange } from '@hamlet/contract';

/** An Entitlement with its name. */
export interface NamedTier {
  readonly name: string;
  readonly spec: EntitlementSpec;
}

/** The tier that a growing balance opens next: of those above the present one and out of reach, the one with the lowest threshold. */
export function nextTier(tiers: readonly NamedTier[], balance: bigint, current: string | null): NamedTier | null {
  const rank = tiers.find(({ name }) => name === current)?.spec.rank ?? -1;
  const ahead = tiers.filter(({ spec }) => spec.rank > rank && parseAiDollars(spec.minBalance) > balance);
  return ahead.toSorted((a, b) => compareAhead(a, b))[0] ?? null;
}

/** Of two with one threshold, balances open the higher. */
function compareAhead(a: NamedTier, b: NamedTier): number {
  const apart = parseAiDollars(a.spec.minBalance) - parseAiDollars(b.spec.minBalance);
  return Number(apart) || b.spec.rank - a.spec.rank || a.name.localeCompare(b.name);
}

const NOTHING = '-';

function gpuText({ mode, resourceName, count, claimTemplateName }: EntitlementSpec['compute']['gpu']): string {
  if (mode === 'None') return NOTHING;
  return claimTemplateName === undefined
    ? `${mode} ${count} ${resourceName ?? 'nvidia.com/gpu'}`
    : `${mode} by ${claimTemplateName}`;
}

/** Each thing that a tier gives, as text, in the order in which people ask. */
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

/** What is otherwise in `to` than in `from`; all of it where there was no tier. */
export function tierChanges(from: EntitlementSpec | null, to: EntitlementSpec): readonly TierChange[] {
  const before = from === null ? null : aspectsOf(from);
  return [...aspectsOf(to)].flatMap(([what, text]) => {
    const was = before?.get(what) ?? NOTHING;
    return was === text ? [] : [{ what, from: was, to: text }];
  });
}
