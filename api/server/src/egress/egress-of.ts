import { createHash } from 'node:crypto';
import type { AgentSpec, EgressPolicy, TierEgress, VillageEgress } from '@hamlet/contract';
import { egressPolicyOf } from '@hamlet/core/egress';
import type { AgentSource } from '../agents/agent-source.ts';

/** The current egress rules of an agent. An unknown agent has those of the village. */
export type EgressOf = (agentId: string) => EgressPolicy;

const NO_TIER: TierEgress = {};

/** Caches the result by tier and spec, because the source replaces these objects with every change. */
export function createEgressOf(village: VillageEgress, source: Pick<AgentSource, 'get' | 'entitlement'>): EgressOf {
  const known = new WeakMap<TierEgress, WeakMap<AgentSpec, EgressPolicy>>();
  const resolve = (tier: TierEgress, agent: AgentSpec | undefined): EgressPolicy =>
    egressPolicyOf({ village, tier, agent }, (bytes) => createHash('sha256').update(bytes).digest());
  return (agentId) => {
    const record = source.get(agentId);
    const tierName = record?.status.tier;
    const tier = (tierName === undefined ? null : source.entitlement(tierName))?.egress ?? NO_TIER;
    if (record === null) return resolve(tier, undefined);
    const ofTier = known.get(tier) ?? new WeakMap<AgentSpec, EgressPolicy>();
    known.set(tier, ofTier);
    const policy = ofTier.get(record.spec) ?? resolve(tier, record.spec);
    ofTier.set(record.spec, policy);
    return policy;
  };
}
