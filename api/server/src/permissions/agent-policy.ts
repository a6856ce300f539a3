import { createHash } from 'node:crypto';
import type { AgentTools, Policy, VillageRules } from '@hamlet/contract';
import { resolvePolicy } from '@hamlet/core';
import type { AgentSource } from '../agents/agent-source.ts';

/** The policy of an agent: the rules of the village, narrowed by its spec. An Entitlement has no rules. */
export type PolicyOf = (agentId: string) => Policy;

export function agentPolicy(village: VillageRules, source: Pick<AgentSource, 'get'>): PolicyOf {
  const resolve = (agent: AgentTools | null): Policy =>
    resolvePolicy({ village, tier: [], agent }, (bytes) => createHash('sha256').update(bytes).digest());
  const usual = resolve(null);
  // The source replaces the object of a spec with every change of it.
  const known = new WeakMap<AgentTools, Policy>();
  return (agentId) => {
    const tools = source.get(agentId)?.spec.tools;
    if (tools === undefined) return usual;
    const policy = known.get(tools) ?? resolve(tools);
    known.set(tools, policy);
    return policy;
  };
}
