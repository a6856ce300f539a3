import type { Client, MemoryEntry, RepositoryMemory } from '@hamlet/contract';
import {
  dataOf,
  forgetRepositoryEntry,
  forgetRepositoryMemory,
  getRepositoryMemory,
  listRepositoryMemories,
  REPOSITORY_MEMORIES_PAGE_MAX,
} from '@hamlet/contract';
import { Failure, type FlagValue } from '../../command.ts';
import { printable } from '../../talk/printable.ts';
import { age, brief, listed } from '../../table.ts';
import { apiCommand } from '../../village-api.ts';
import { agentMemoryLines, askAgentMemory, memoryActOf, type Asked } from './agent-memory.ts';

const TEXT_CHARS = 60;

export const memoriesLines = (memories: readonly RepositoryMemory[], nowMs: number): string =>
  listed(memories, 'no repository has a memory', {
    REPOSITORY: ({ repository }) => printable(repository),
    ENTRIES: ({ entries }) => entries,
    BYTES: ({ bytes }) => bytes,
    AGENTS: ({ agents }) => agents.join(',') || '-',
    CHANGED: ({ changed_at }) => age(changed_at, nowMs),
  });

export const entriesLines = (entries: readonly MemoryEntry[], repository: string, nowMs: number): string =>
  listed(entries.toReversed(), `${printable(repository)} has no memory that you may know`, {
    ID: ({ memory_id }) => memory_id,
    BY: ({ agent_id }) => agent_id,
    CHANGED: ({ changed_at }) => age(changed_at, nowMs),
    OUTSIDE: ({ outside }) => (outside ? 'yes' : 'no'),
    FOR: ({ audience }) =>
      audience === null ? 'all' : audience.length === 1 ? '1 person' : `${audience.length} people`,
    TEXT: (entry) => printable(brief(textOf(entry), TEXT_CHARS)),
  });

function textOf({ kind, memory_id: id, name, type, to, observations }: MemoryEntry): string {
  if (kind === 'relation') return `${name} ${type} ${to ?? ''}`;
  const words = observations.join(' ');
  return id === name ? words : `${name} (${type}): ${words}`;
}

interface Repositories {
  readonly repository: string | undefined;
  readonly whose: 'mine' | 'all';
  readonly forget: FlagValue;
  readonly forgetAll: FlagValue;
}

async function readRepositories(api: Client, { repository, whose, forget, forgetAll }: Repositories) {
  if (repository === undefined)
    return dataOf(api.call(listRepositoryMemories, { query: { limit: REPOSITORY_MEMORIES_PAGE_MAX } }));
  const query = { repository };
  if (typeof forget === 'string')
    await dataOf(api.call(forgetRepositoryEntry, { params: { memory_id: forget }, query }));
  if (forgetAll === true) await dataOf(api.call(forgetRepositoryMemory, { query }));
  return dataOf(api.call(getRepositoryMemory, { query: { ...query, whose } }));
}

/** A name of the list of repositories or an address has a slash; the name of an agent has none. */
const isAgent = (name: string | undefined): name is string => name !== undefined && !name.includes('/');
const WORDS_MAX = 1_000;

export const memory = apiCommand({
  name: 'memory',
  usage: '[AGENT [list | search WORDS | pin ID | unpin ID | forget ID | correct ID TEXT] | REPOSITORY]',
  summary: 'shows and changes what an agent remembers, or the memory of a repository',
  details: `AGENT: the memories that arose with you or that everybody may know, the newest 100; --cursor=CURSOR lists older ones. The agent always
recalls a pinned memory. A correction replaces a fact. A forgotten memory is deleted here at once, and in the agent before it next
recalls anything. The list ends with your changes that the agent has not applied, or could not apply.

REPOSITORY, a name of the list or an address: the memory that all agents share that work there, for the people with whom it arose.
--forget=ID deletes one entry, --forget-all all that you may know, for an admin the whole memory; neither can be undone, and the audit
keeps who did it.

Without a name: the repositories with a memory. --all shows an admin what arose with others too, and the audit names the admin.`,
  options: {
    forget: { type: 'string' },
    'forget-all': { type: 'boolean' },
    all: { type: 'boolean' },
    cursor: { type: 'string' },
  },
  names: [0, WORDS_MAX],
  act({ names: [first, ...words], flags: { forget, 'forget-all': forgetAll, all, cursor } }): Asked | Repositories {
    const whose = all === true ? 'all' : 'mine';
    if (isAgent(first)) {
      if (forget !== undefined || forgetAll === true) throw new Failure(`write: memory ${first} forget ID`, 2);
      return { agent: first, act: memoryActOf(words), whose, cursor: typeof cursor === 'string' ? cursor : null };
    }
    if (words.length > 0) throw new Failure('write only one REPOSITORY', 2);
    if (first === undefined && (forget !== undefined || forgetAll === true))
      throw new Failure('--forget and --forget-all need a REPOSITORY', 2);
    return { repository: first, whose, forget, forgetAll };
  },
  read: async (api, asked) =>
    'agent' in asked
      ? { agent: await askAgentMemory(api, asked) }
      : { repositories: await readRepositories(api, asked) },
  json: (answer) => ('agent' in answer ? answer.agent : answer.repositories),
  text(answer, _act, nowMs) {
    if ('agent' in answer) return agentMemoryLines(answer.agent, nowMs);
    const { repositories } = answer;
    return 'memories' in repositories
      ? memoriesLines(repositories.memories, nowMs)
      : entriesLines(repositories.entries, repositories.repository, nowMs);
  },
});
