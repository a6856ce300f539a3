import { AgentSpec, EntitlementSpec } from '@hamlet/contract';
import type { AgentRecord, AgentSource, EntitlementRecord } from '../../agents/agent-source.ts';

const LIMITS = { requestsPerMinute: 60, concurrentTools: 1, tokensPerHour: 1_000, models: ['small'] };

function tier(name: string, rank: number, minBalance: string): EntitlementRecord {
  return { name, spec: EntitlementSpec.parse({ rank, minBalance, limits: LIMITS }), status: {} };
}

function unwritable(): never {
  throw new Error('the agents of this test village cannot change');
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
    get: (agentId) => records.get(agentId) ?? null,
    entitlement: (name) => tiers.find((each) => each.name === name)?.spec ?? null,
    entitlements: () => tiers,
    onChange: () => undefined,
    setPower: unwritable,
    sleepIdle: unwritable,
    wakeIdle: unwritable,
    reboot: unwritable,
    close: () => Promise.resolve(),
  };
}
