import { createHash } from 'node:crypto';
import type { AgentSpec, AgentTools, EntitlementSpec, Policy, VillageRules } from '@hamlet/contract';
import { commandsInExamples, narrowPolicy, resolvePolicy, type CommandClasses } from '@hamlet/core';
import type { RunRow } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';

export type PolicyOf = (agentId: string) => Policy;

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();

export type PolicyColumns = Pick<RunRow, 'agentId' | 'toolLists' | 'safeMode'>;

/** The policy of a run: that of its agent, narrowed by the run's safe mode, and for a worker by its parents' lists of tools. */
export function policyOfRun(policyOf: PolicyOf, { agentId, toolLists, safeMode }: PolicyColumns): Policy {
  return narrowPolicy(policyOf(agentId), { lists: toolLists ?? [], safeMode }, sha256);
}

const NONE = {};

type TierTools = NonNullable<EntitlementSpec['tools']>;

type Servers = NonNullable<AgentSpec['mcpServers']>;
interface Narrowing {
  readonly tools?: AgentTools | undefined;
  readonly mcpServers?: Servers | undefined;
}

const mcpClasses = (servers: Servers): NonNullable<Policy['mcp']> =>
  Object.fromEntries(servers.map(({ name, class: toolClass }) => [name, toolClass ?? null]));

function areRead(tools: TierTools | undefined, classesOf: CommandClasses): boolean {
  return commandsInExamples(tools?.rules ?? []).every((command) => classesOf(command) !== null);
}

/**
 * The policies of all agents by the present rules of the village and specs of Agents and tiers. `classesOf` reads the shell commands in
 * examples. It returns null until the parser is loaded; such a policy is not cached.
 */
export function agentPolicy(
  village: () => VillageRules,
  source: Pick<AgentSource, 'get' | 'entitlement'>,
  classesOf: CommandClasses,
): PolicyOf {
  // Settings and source replace the object of rules and of a spec with every change. Layers without rules share one object.
  const known = new WeakMap<VillageRules, WeakMap<TierTools, WeakMap<object, Policy>>>();
  function resolve(rules: VillageRules, tier: TierTools, { tools, mcpServers }: Narrowing): Policy {
    const layers = {
      village: rules,
      tier: tier.rules ?? [],
      agent: tools ?? null,
      classesOf,
      ...(mcpServers === undefined ? {} : { mcp: mcpClasses(mcpServers) }),
    };
    return resolvePolicy(layers, sha256);
  }
  function cacheOf(rules: VillageRules, tier: TierTools): WeakMap<object, Policy> {
    const ofRules = known.get(rules) ?? new WeakMap<TierTools, WeakMap<object, Policy>>();
    known.set(rules, ofRules);
    const ofTier = ofRules.get(tier) ?? new WeakMap<object, Policy>();
    ofRules.set(tier, ofTier);
    return ofTier;
  }
  const tierOf = (name: string | undefined): TierTools =>
    (name === undefined ? null : source.entitlement(name))?.tools ?? NONE;
  return (agentId) => {
    const record = source.get(agentId);
    const tier = tierOf(record?.status.tier);
    const { tools, mcpServers }: Narrowing = record?.spec ?? NONE;
    const key = mcpServers ?? tools ?? NONE;
    const rules = village();
    const ofTier = cacheOf(rules, tier);
    const found = ofTier.get(key);
    if (found !== undefined) return found;
    const policy = resolve(rules, tier, { tools, mcpServers });
    if (areRead(tier, classesOf) && areRead(tools, classesOf)) ofTier.set(key, policy);
    return policy;
  };
}
