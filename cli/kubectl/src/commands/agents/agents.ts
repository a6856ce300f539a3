import type { AgentDetail } from '@hamlet/contract';
import { dataOf, getAgent, listAgents } from '@hamlet/contract';
import { mindLabel, mindNotes } from '@hamlet/core/mind';
import { age, brief, listed } from '../../table.ts';
import { printable } from '../../talk/printable.ts';
import { apiCommand } from '../../village-api.ts';

const TEXT_CHARS = 60;

const mindOf = ({ mind }: AgentDetail): string => (mind === null ? '-' : printable(mindLabel(mind)));

export const agentsLines = (agents: readonly AgentDetail[]): string =>
  listed(agents, 'no agents', {
    AGENT: ({ agent_id }) => agent_id,
    NAME: ({ display_name }) => printable(display_name),
    MIND: mindOf,
    TIER: ({ tier }) => tier ?? '-',
    BALANCE: ({ balance }) => balance ?? '-',
    STATE: ({ why }) => why.reason,
    MESSAGE: ({ why }) => (why.ready ? '' : printable(brief(why.message, TEXT_CHARS))),
  });

function mindLines(agent: AgentDetail): readonly string[] {
  const { mind } = agent;
  if (mind === null) return ['mind: not known before its first start'];
  return [`mind: ${mindOf(agent)} (runtime ${printable(mind.runtime)})`, ...mindNotes(mind).map((note) => `  ${note}`)];
}

export function agentLines(agent: AgentDetail, nowMs: number): readonly string[] {
  const { agent_id: id, display_name: name, why, tier, balance, node, cycle, status } = agent;
  const seen = status.online ? 'now' : status.last_seen === null ? 'never' : `${age(status.last_seen, nowMs)} ago`;
  return [
    `${printable(name)} (${id}): ${why.reason}${why.ready ? '' : `: ${printable(why.message)}`}`,
    ...mindLines(agent),
    `tier ${tier ?? '-'}, ${balance ?? '-'} aiDollars, node ${node ?? '-'}, cycle ${cycle}, online ${seen}`,
    ...(agent.a2a === true ? [`A2A: other systems call it at /a2a/${id} of the village's address (docs/A2A.md)`] : []),
  ];
}

export const agents = apiCommand({
  name: 'agents',
  usage: '[NAME]',
  summary: 'lists agents with the mind of each, or describes one',
  details: 'A mind is what thinks for an agent: its runtime, and the program and version of a runtime that has one.',
  options: {},
  names: [0, 1],
  act: ({ names: [name] }) => name,
  async read(api, name) {
    if (name !== undefined) return dataOf(api.call(getAgent, { params: { agent_id: name } }));
    return (await dataOf(api.call(listAgents, { query: { persona: 'omit' } }))).agents;
  },
  text: (answer, _name, nowMs) => ('agent_id' in answer ? agentLines(answer, nowMs) : agentsLines(answer)),
});
