import { AgentSpec, EntitlementSpec, PriceList } from '@hamlet/contract';
import type { AgentRecord, AgentSource, EntitlementRecord } from '../../agents/agent-source.ts';

/** Agents that trade in the tests, and the first balance of each in micro-aiDollars. */
export const BUYERS = Array.from({ length: 12 }, (_, index) => `buyer-${index}`);
export const PURSE_MICRO = 1_000_000_000n;

const LANES = 16;
const SLOT_MS = 10_000;
/** Time until the first window begins, so long that no window begins while a test runs. */
const AHEAD_MS = 7_200_000;

export const PRICES = PriceList.parse({
  gpu: { per_hour: '3.6', lanes: Array.from({ length: LANES }, (_, index) => ({ lane: `gpu-${index}` })) },
});

/** Seeded random numbers: see test/env/seeded.ts. */
export interface Chances {
  between(low: number, high: number): number;
  one<T>(of: readonly T[]): T | undefined;
}

/** A window of one to three slots of ten seconds; with so few slots per lane, many overlap. */
export function someWindow(
  chances: Chances,
  { fromMs, slots }: { readonly fromMs: number; readonly slots: number },
): { readonly lane: string; readonly startsAt: Date; readonly endsAt: Date } {
  const lane = chances.one(PRICES.gpu.lanes)?.lane ?? 'gpu-0';
  const startsMs = fromMs + AHEAD_MS + Math.floor(chances.between(0, slots)) * SLOT_MS;
  return {
    lane,
    startsAt: new Date(startsMs),
    endsAt: new Date(startsMs + Math.ceil(chances.between(0, 3)) * SLOT_MS),
  };
}

const LIMITS = { requestsPerMinute: 60, concurrentTools: 1, tokensPerHour: 1_000, models: ['small'] };

function tier(name: string, rank: number, minBalance: string): EntitlementRecord {
  return { name, spec: EntitlementSpec.parse({ rank, minBalance, limits: LIMITS }), status: {} };
}

/** A source of fixed agents and two fixed tiers, in place of a cluster. */
export function staticSource(agentIds: readonly string[]): AgentSource {
  const tiers = [tier('poor', 0, '0'), tier('rich', 1, '500')];
  const records = new Map(
    agentIds.map((agentId): [string, AgentRecord] => [
      agentId,
      {
        agentId,
        uid: `uid of ${agentId}`,
        createdAt: '2026-11-22T00:00:00Z',
        spec: AgentSpec.parse({ entitlement: { policy: 'ByBalance' } }),
        status: { tier: 'poor' },
        deleting: false,
      },
    ]),
  );
  return {
    ready: true,
    list: () => [...records.values()],
    get: (agentId: string) => records.get(agentId) ?? null,
    entitlement: (name: string) => tiers.find((each) => each.name === name)?.spec ?? null,
    entitlements: () => tiers,
    onChange: () => undefined,
  } as Partial<AgentSource> as AgentSource;
}
