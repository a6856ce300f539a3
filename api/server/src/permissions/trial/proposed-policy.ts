import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PolicyProposal } from '@hamlet/contract';
import type { CommandClasses, ExampledRule } from '@hamlet/core';
import { checkExamples, checkVillageRules, commandsInExamples, wrongExamples } from '@hamlet/core';
import type { AgentSource } from '../../agents/agent-source.ts';
import { accepted, refused, type Outcome, type Refused } from '../../http/outcome.ts';
import { agentPolicy, type PolicyOf } from '../agent-policy.ts';
import type { ReadCommand } from '../shell/read-command.ts';
import type { Village } from '../../village.ts';

const DETAIL_MAX_CHARS = 2_000;

/** Reads the commands in examples, one per turn of the event loop, because a proposal may have many. */
async function readCommands(rules: readonly ExampledRule[], readCommand: ReadCommand): Promise<CommandClasses> {
  const known = new Map<string, readonly string[]>();
  for (const command of commandsInExamples(rules)) {
    known.set(command, (await readCommand(command)).classes);
    await nextTurn();
  }
  return (command) => known.get(command) ?? null;
}

export const wrong = (errors: readonly string[]): Refused =>
  refused('policy_wrong', errors.join('; ').slice(0, DETAIL_MAX_CHARS));

type Source = Pick<AgentSource, 'get' | 'entitlement'>;

function proposedSource(source: Source, proposal: Exclude<PolicyProposal, { of: 'village' }>): Outcome<Source> {
  if (proposal.of === 'tier') {
    const spec = source.entitlement(proposal.name);
    if (spec === null) return refused('no_such_entitlement');
    const proposed = { ...spec, tools: proposal.tools };
    return accepted({
      get: (agentId) => source.get(agentId),
      entitlement: (name) => (name === proposal.name ? proposed : source.entitlement(name)),
    });
  }
  const record = source.get(proposal.agent_id);
  if (record === null) return refused('no_such_agent');
  const { tools, mcp_servers: mcpServers = record.spec.mcpServers } = proposal;
  const spec = { ...record.spec, tools, ...(mcpServers === undefined ? {} : { mcpServers }) };
  return accepted({
    get: (agentId) => (agentId === proposal.agent_id ? { ...record, spec } : source.get(agentId)),
    entitlement: (name) => source.entitlement(name),
  });
}

/** The rules of an Agent or a tier; null for a query that names neither. */
export function rulesOfLayer(
  { source }: Village,
  { agent_id: agentId, tier }: { readonly agent_id?: string | undefined; readonly tier?: string | undefined },
): Outcome<PolicyProposal> | null {
  if (agentId !== undefined) {
    const record = source.get(agentId);
    if (record === null) return refused('no_such_agent');
    const { tools = {}, mcpServers } = record.spec;
    const servers = mcpServers === undefined ? {} : { mcp_servers: mcpServers };
    return accepted({ of: 'agent', agent_id: agentId, tools, ...servers });
  }
  if (tier === undefined) return null;
  const spec = source.entitlement(tier);
  return spec === null ? refused('no_such_entitlement') : accepted({ of: 'tier', name: tier, tools: spec.tools ?? {} });
}

/** Builds the policy with the function that production uses. Refuses rules that contradict their examples. */
export async function proposedPolicy(
  { source, settings, readCommand }: Village,
  { proposal, classesInForce }: { readonly proposal: PolicyProposal; readonly classesInForce: CommandClasses },
): Promise<Outcome<PolicyOf>> {
  const rules = proposal.of === 'village' ? proposal.rules : (proposal.tools.rules ?? []);
  const read = await readCommands(rules, readCommand);
  const classesOf: CommandClasses = (command) => read(command) ?? classesInForce(command);
  if (proposal.of === 'village') {
    const errors = [...checkVillageRules(proposal.rules), ...wrongExamples(proposal.rules, read)];
    return errors.length > 0 ? wrong(errors) : accepted(agentPolicy(() => proposal.rules, source, classesOf));
  }
  const { errors } = checkExamples(rules, read);
  if (errors.length > 0) return wrong(errors);
  const proposed = proposedSource(source, proposal);
  return proposed.ok ? accepted(agentPolicy(() => settings.rules, proposed.data, classesOf)) : proposed;
}
