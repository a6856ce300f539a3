import { createHash } from 'node:crypto';
import type { AgentTools, EntitlementSpec, Policy, VillageRules } from '@hamlet/contract';
import { resolvePolicy } from '@hamlet/core';
import type { AgentSource } from '../agents/agent-source.ts';

/** The policy of an agent: the rules of the village, narrowed by its tier and its spec. */
export type PolicyOf = (agentId: string) => Policy;

const NONE = {};

type TierTools = NonNullable<EntitlementSpec['tools']>;

export function agentPolicy(village: VillageRules, source: Pick<AgentSource, 'get' | 'entitlement'>): PolicyOf {
  // The source replaces the object of a spec with every change of it. A layer without rules is the same object for all.
  const known = new WeakMap<TierTools, WeakMap<AgentTools, Policy>>();
  function resolve(tier: TierTools, agent: AgentTools): Policy {
    const layers = { village, tier: tier.rules ?? [], agent: agent === NONE ? null : agent };
    return resolvePolicy(layers, (bytes) => createHash('sha256').update(bytes).digest());
  }
  return (agentId) => {
    const record = source.get(agentId);
    const tierName = record?.status.tier;
    const tier = (tierName === undefined ? null : source.entitlement(tierName))?.tools ?? NONE;
    const agent = record?.spec.tools ?? NONE;
    const ofTier = known.get(tier) ?? new WeakMap<AgentTools, Policy>();
    known.set(tier, ofTier);
    const policy = ofTier.get(agent) ?? resolve(tier, agent);
    ofTier.set(agent, policy);
    return policy;
  };
}
