import type { Agent } from '@hamlet/contract/kinds';
import { AGENTS, readAgent, type Listed } from '../agents.ts';
import type { Command, Invocation } from '../command.ts';
import { explain, explanationText, type Explanation } from '../explain.ts';
import type { Kubectl } from '../kubectl.ts';
import { printed } from '../table.ts';

const EVENTS_SHOWN = 3;

interface Event {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTimestamp?: string | null;
}

async function warningsOf(kubectl: Kubectl, names: readonly string[]): Promise<readonly Event[]> {
  const lists = await Promise.all(
    names.map((name) =>
      kubectl.run(['get', 'events', `--field-selector=involvedObject.name=${name},type=Warning`, '--output=json']),
    ),
  );
  // A caller without the right to read Events still gets the chain.
  const events = lists.flatMap(({ code, stdout }) => (code === 0 ? (JSON.parse(stdout) as Listed<Event>).items : []));
  return events.toSorted((a, b) => (b.lastTimestamp ?? '').localeCompare(a.lastTimestamp ?? '')).slice(0, EVENTS_SHOWN);
}

const isWell = ({ ready, hands, capabilities }: Explanation): boolean =>
  ready && hands === null && capabilities === null;

async function show(invocation: Invocation, agent: Agent): Promise<boolean> {
  const explanation = explain(agent);
  const warnings = isWell(explanation)
    ? []
    : await warningsOf(invocation.kubectl, [explanation.agent, ...(explanation.pod === null ? [] : [explanation.pod])]);
  const shown = warnings.map(({ reason = '', message = '' }) => ({ reason, message }));
  const last = shown.map(({ reason, message }) => `  ${reason}: ${message}`);
  printed(invocation, { ...explanation, warnings: shown }, () => [
    explanationText(explanation),
    ...(last.length === 0 ? [] : ['', 'Last warnings:', ...last]),
  ]);
  return explanation.ready;
}

export const why: Command = {
  name: 'why',
  usage: '[NAME]',
  summary: 'explains why an agent does not run, and how to fix it; exits 1 unless it is ready',
  details:
    'The first condition of the chain that is not True is the reason. Without a NAME it explains every agent that is not ready, lacks a capability, or whose hands have trouble.',
  options: {},
  names: [0, 1],
  async run(invocation) {
    const [name] = invocation.names;
    if (name !== undefined) return (await show(invocation, await readAgent(invocation.kubectl, name))) ? 0 : 1;
    const { items } = await invocation.kubectl.json<Listed<Agent>>(['get', AGENTS]);
    const troubled = items.filter((agent) => !isWell(explain(agent)));
    let waiting = 0;
    for (const [index, agent] of troubled.entries()) {
      if (index > 0 && !invocation.json) invocation.print('');
      if (!(await show(invocation, agent))) waiting += 1;
    }
    if (troubled.length === 0 && !invocation.json) invocation.print(`all of ${items.length} agents are in the world`);
    return waiting === 0 ? 0 : 1;
  },
};
