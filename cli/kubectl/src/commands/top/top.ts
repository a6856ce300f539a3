import {
  dataOf,
  FIGURES_EVERY_S,
  getNodeFigures,
  listAgentFigures,
  listNodeFigures,
  type Client,
} from '@hamlet/contract';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, type Command, type Invocation } from '../../command.ts';
import { printed } from '../../table.ts';
import { ofApi, withApi } from '../../village-api.ts';
import { hourTable, type NodeHour } from './hour-table.ts';
import { AGENT_ORDERS, agentsTable, NODE_ORDERS, nodesTable } from './top-tables.ts';

const USAGE = '[nodes|agents] [--sort=FIELD] [--hour] [--watch]';

type Act =
  | { readonly kind: 'nodes'; readonly order: keyof typeof NODE_ORDERS }
  | { readonly kind: 'hour' }
  | { readonly kind: 'agents'; readonly order: keyof typeof AGENT_ORDERS };

function orderIn<O extends object>(orders: O, sort: string): keyof O {
  if (Object.hasOwn(orders, sort)) return sort as keyof O;
  throw new Failure(`--sort=${sort} is not known: write one of ${Object.keys(orders).join(', ')}`, 2);
}

export function topAct({ names, flags }: Pick<Invocation, 'names' | 'flags'>): Act {
  const [kind = 'agents'] = names;
  const sort = typeof flags['sort'] === 'string' ? flags['sort'] : 'cpu';
  if (flags['hour'] === true) {
    if (kind === 'nodes') return { kind: 'hour' };
    throw new Failure('--hour shows the last hour of nodes: write kubectl hamlet top nodes --hour', 2);
  }
  if (kind === 'nodes') return { kind, order: orderIn(NODE_ORDERS, sort) };
  if (kind === 'agents') return { kind, order: orderIn(AGENT_ORDERS, sort) };
  throw new Failure(`usage: kubectl hamlet top ${USAGE}`, 2);
}

async function showHour(invocation: Invocation, api: Client): Promise<void> {
  const { nodes } = await dataOf(api.call(listNodeFigures, {}));
  const hours: NodeHour[] = [];
  for (const { name } of nodes) hours.push(await dataOf(api.call(getNodeFigures, { params: { node: name } })));
  return printed(invocation, { nodes: hours }, () => hourTable(hours, Date.now()));
}

async function show(invocation: Invocation, api: Client, act: Act): Promise<void> {
  if (act.kind === 'hour') return showHour(invocation, api);
  if (act.kind === 'nodes') {
    const answer = await dataOf(api.call(listNodeFigures, {}));
    return printed(invocation, answer, () => nodesTable(answer.nodes, act.order));
  }
  const answer = await dataOf(api.call(listAgentFigures, {}));
  return printed(invocation, answer, () => agentsTable(answer.agents, act.order));
}

const CLEAR = '\u001b[2J\u001b[H';

export const top: Command = ofApi({
  name: 'top',
  usage: USAGE,
  summary: 'shows the use of cpu, memory, disk, network and GPU by agents or nodes',
  details: `The figures are up to ${FIGURES_EVERY_S} s old. --sort orders agents by cpu (default), memory, disk, network, gpu or name, and nodes by cpu, memory, gpu or
name. WAITS is the share of the last minute in which work waited for the cpu, memory and the disk. --hour shows the last hour of each node, with
a bar for each five minutes. --watch shows the table every ${FIGURES_EVERY_S} s until you end it.`,
  options: { sort: { type: 'string' }, hour: { type: 'boolean' }, watch: { type: 'boolean' } },
  names: [0, 1],
  async run(invocation) {
    const act = topAct(invocation);
    const isWatching = invocation.flags['watch'] === true;
    await withApi(invocation, async (api) => {
      for (;;) {
        if (isWatching && invocation.terminal.isInteractive) invocation.write(CLEAR);
        await show(invocation, api, act);
        if (!isWatching) return;
        await sleep(FIGURES_EVERY_S * 1_000);
      }
    });
    return 0;
  },
});
