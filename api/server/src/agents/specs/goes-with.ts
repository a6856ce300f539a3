import { formatAiDollars, type GoesWith } from '@hamlet/contract';
import { readAgentRemains, readBalances, type AgentRemains } from '@hamlet/store';
import type { Village } from '../../village.ts';
import { FIELD_MANAGER } from '../field-owners.ts';
import type { StoredSpec } from './agent-writer.ts';

const NAMES_MAX = 20;
/** Maximum number of Schedules in which the API searches for the name of the agent. */
const SCHEDULES_MAX = 1_000;
const PAGE = 200;

interface Belongings extends AgentRemains {
  readonly balance: bigint;
  readonly schedules: readonly string[];
  readonly managers: readonly string[];
}

const many = (count: number, one: string, several = `${one}s`): string => `${count} ${count === 1 ? one : several}`;

/** The effects of a deletion of the agent, in the order in which people should read them; empty things are left out. Pure. */
export function goesWith({ agentId, record }: Pick<StoredSpec, 'agentId' | 'record'>, has: Belongings): GoesWith[] {
  const { size } = record.spec.memory;
  const { managers, memories, tasks, conversations, balance, schedules } = has;
  const lines: readonly GoesWith[] = [
    {
      kind: 'owner',
      fate: 'stays',
      ...named(managers),
      line: `${managers.join(', ')} manages this agent too and may create it again: delete it there`,
    },
    {
      kind: 'volume',
      fate: 'chosen',
      ...named([`${agentId}-home`]),
      line: `Its volume of ${size} with its workspace and its memory: kept for a new agent of the name, or deleted`,
    },
    {
      kind: 'memory',
      fate: 'chosen',
      ...unnamed(memories),
      line: `${many(memories, 'memory', 'memories')}: in its volume, so they stay or go with it`,
    },
    {
      kind: 'tasks',
      fate: 'ends',
      ...unnamed(tasks),
      line: `${many(tasks, 'task')} that ${tasks === 1 ? 'has' : 'have'} not ended: each fails, and its offer is returned`,
    },
    {
      kind: 'conversations',
      fate: 'stays',
      ...unnamed(conversations),
      line: `${many(conversations, 'open conversation')}: readable, and without an answer until an agent of the name lives again`,
    },
    {
      kind: 'money',
      fate: 'stays',
      ...unnamed(balance === 0n ? 0 : 1),
      line: `${formatAiDollars(balance)} aiDollars on its account: the account is closed, and opens again for a new agent of the name`,
    },
    {
      kind: 'schedules',
      fate: 'stays',
      ...named(schedules),
      line: `${many(schedules.length, 'schedule')} that ${schedules.length === 1 ? 'names' : 'name'} it: each fires for no agent until it is changed or deleted`,
    },
  ];
  return lines.filter(({ count }) => count > 0);
}

function named(names: readonly string[]): Pick<GoesWith, 'count' | 'names'> {
  return { count: names.length, names: names.slice(0, NAMES_MAX) };
}

const unnamed = (count: number): Pick<GoesWith, 'count' | 'names'> => ({ count, names: [] });

export async function readGoesWith(
  { db, schedules }: Pick<Village, 'db' | 'schedules'>,
  stored: StoredSpec,
): Promise<readonly GoesWith[]> {
  const { agentId, fields } = stored;
  const [remains, balances, named] = await Promise.all([
    readAgentRemains(db, stored),
    readBalances(db, [agentId]),
    schedulesOf(schedules, agentId),
  ]);
  const managers = new Set(fields.map(({ manager }) => manager).filter((manager) => manager !== FIELD_MANAGER));
  return goesWith(stored, {
    ...remains,
    balance: balances.get(agentId) ?? 0n,
    schedules: named,
    managers: [...managers],
  });
}

async function schedulesOf(schedules: Village['schedules'], agentId: string): Promise<readonly string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  for (let read = 0; read < SCHEDULES_MAX; read += PAGE) {
    const page = await schedules.list({ cursor, limit: PAGE });
    if (!page.ok) break;
    names.push(...page.data.schedules.filter(({ spec }) => spec.agentName === agentId).map(({ name }) => name));
    if (page.data.next === null) break;
    cursor = page.data.next;
  }
  return names;
}
