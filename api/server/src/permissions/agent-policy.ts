import { createHash } from 'node:crypto';
import type { AgentSpec, AgentTools, EntitlementSpec, Policy, VillageRules } from '@hamlet/contract';
import { narrowPolicy, resolvePolicy } from '@hamlet/core';
import type { RunRow } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';

/** The policy of an agent: the rules of the village, narrowed by its tier and its spec. */
export type PolicyOf = (agentId: string) => Policy;

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();

/** The columns of a run on which its policy depends. */
export type PolicyColumns = Pick<RunRow, 'agentId' | 'toolLists' | 'safeMode'>;

/** The policy of a run: that of its agent, narrowed by its safe mode, and for a worker by the lists of tools that its parents gave. */
export function policyOfRun(policyOf: PolicyOf, { agentId, toolLists, safeMode }: PolicyColumns): Policy {
  return narrowPolicy(policyOf(agentId), { lists: toolLists ?? [], safeMode }, sha256);
}

const NONE = {};

type TierTools = NonNullable<EntitlementSpec['tools']>;

type Servers = NonNullable<AgentSpec['mcpServers']>;
/** The parts of a spec that its policy depends on. */
interface Narrowing {
  readonly tools?: AgentTools | undefined;
  readonly mcpServers?: Servers | undefined;
}

const classesOf = (servers: Servers): NonNullable<Policy['mcp']> =>
  Object.fromEntries(servers.map(({ name, class: toolClass }) => [name, toolClass ?? null]));

export function agentPolicy(village: VillageRules, source: Pick<AgentSource, 'get' | 'entitlement'>): PolicyOf {
  // The source replaces the object of a spec with every change of it. A layer without rules is the same object for all.
  const known = new WeakMap<TierTools, WeakMap<object, Policy>>();
  function resolve(tier: TierTools, { tools, mcpServers }: Narrowing): Policy {
    const layers = {
      village,
      tier: tier.rules ?? [],
      agent: tools ?? null,
      ...(mcpServers === undefined ? {} : { mcp: classesOf(mcpServers) }),
    };
    return resolvePolicy(layers, sha256);
  }
  const tierOf = (name: string | undefined): TierTools =>
    (name === undefined ? null : source.entitlement(name))?.tools ?? NONE;
  return (agentId) => {
    const record = source.get(agentId);
    const tier = tierOf(record?.status.tier);
    const { tools, mcpServers }: Narrowing = record?.spec ?? NONE;
    const key = mcpServers ?? tools ?? NONE;
    const ofTier = known.get(tier) ?? new WeakMap<object, Policy>();
    known.set(tier, ofTier);
    const policy = ofTier.get(key) ?? resolve(tier, { tools, mcpServers });
    ofTier.set(key, policy);
    return policy;
  };
}
