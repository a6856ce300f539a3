import * as z from 'zod';

/**
 * The numbers that a tier limits, in the order in which pages show them. `field`: the name in an Entitlement, `name`: that in the API.
 * `usual`: the default of a limit that came later, so that earlier tiers and APIs do not name it.
 */
export const TIER_LIMITS = [
  {
    field: 'requestsPerMinute',
    name: 'requests_per_minute',
    max: 100_000,
    usual: null,
    does: 'Requests to the API a minute',
  },
  {
    field: 'concurrentTools',
    name: 'concurrent_tools',
    max: 1_000,
    usual: null,
    does: 'Tools that run at the same time',
  },
  {
    field: 'concurrentModelRequests',
    name: 'concurrent_model_requests',
    max: 1_000,
    // A thought, a conversation, a run and its worker.
    usual: 4,
    does: 'Requests to language models that an agent has under way at the same time',
  },
  {
    field: 'webSearchesPerHour',
    name: 'web_searches_per_hour',
    max: 100_000,
    usual: 30,
    does: 'Calls of web_search an hour',
  },
  {
    field: 'webRequestsPerHour',
    name: 'web_requests_per_hour',
    max: 100_000,
    usual: 600,
    does: 'Calls of http, web_fetch and call_agent an hour, all together',
  },
  {
    field: 'browserCallsPerHour',
    name: 'browser_calls_per_hour',
    max: 100_000,
    usual: 120,
    does: 'Calls of the tools of the browser an hour; they also need a tier with 2Gi of memory',
  },
  {
    field: 'tokensPerHour',
    name: 'tokens_per_hour',
    max: 1_000_000_000,
    usual: null,
    does: 'Tokens of language models an hour',
  },
] as const;
export type TierLimit = (typeof TIER_LIMITS)[number];

/** A value for each limit, by one of its two names. Pure. */
export function tierLimitsBy<K extends 'field' | 'name', T>(
  key: K,
  of: (limit: TierLimit) => T,
): Readonly<Record<TierLimit[K], T>> {
  return Object.fromEntries(TIER_LIMITS.map((limit) => [limit[key], of(limit)])) as Record<TierLimit[K], T>;
}

type Amounts<K extends 'field' | 'name', Whole extends z.ZodType> = {
  readonly [L in TierLimit as L[K]]: L['usual'] extends null ? Whole : z.ZodDefault<Whole>;
};

/** The limits of a tier as people write them. Those that came later may be left out. */
export function writtenLimits<K extends 'field' | 'name'>(key: K): Amounts<K, z.ZodInt>;
export function writtenLimits(key: 'field' | 'name'): object {
  return tierLimitsBy(key, ({ max, usual, does }) => {
    const amount = z.int().min(0).max(max);
    const whole = usual === null ? amount : amount.default(usual);
    return key === 'field' ? whole.describe(`${does}.`) : whole;
  });
}

/** The limits of a tier as the API shows them: null if they are not known. */
export const shownLimits = (): Amounts<'name', z.ZodNullable<z.ZodInt>> =>
  tierLimitsBy('name', ({ usual, does }) =>
    usual === null ? z.int().nullable() : z.int().nullable().default(null).describe(`${does}; null from an older API`),
  ) as Amounts<'name', z.ZodNullable<z.ZodInt>>;
