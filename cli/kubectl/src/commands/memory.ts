import type { MemoryEntry, RepositoryMemory } from '@hamlet/contract';
import {
  dataOf,
  forgetRepositoryEntry,
  forgetRepositoryMemory,
  getRepositoryMemory,
  listRepositoryMemories,
  REPOSITORY_MEMORIES_PAGE_MAX,
} from '@hamlet/contract';
import { Failure } from '../command.ts';
import { printable } from '../talk/printable.ts';
import { age, brief, listed } from '../table.ts';
import { apiCommand } from '../village-api.ts';

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
  listed(entries.toReversed(), `${printable(repository)} has no memory`, {
    ID: ({ memory_id }) => memory_id,
    BY: ({ agent_id }) => agent_id,
    CHANGED: ({ changed_at }) => age(changed_at, nowMs),
    OUTSIDE: ({ outside }) => (outside ? 'yes' : 'no'),
    TEXT: (entry) => printable(brief(textOf(entry), TEXT_CHARS)),
  });

function textOf({ kind, memory_id: id, name, type, to, observations }: MemoryEntry): string {
  if (kind === 'relation') return `${name} ${type} ${to ?? ''}`;
  const words = observations.join(' ');
  return id === name ? words : `${name} (${type}): ${words}`;
}

export const memory = apiCommand({
  name: 'memory',
  usage: '[REPOSITORY] [--forget=ID | --forget-all]',
  summary: 'lists memories of repositories, or the entries of one, and deletes from it',
  details: `All agents that work in a repository share its memory. REPOSITORY is a name of the list or an address. --forget=ID
deletes one entry, --forget-all the whole memory; neither can be undone, and the audit keeps who did it.`,
  options: { forget: { type: 'string' }, 'forget-all': { type: 'boolean' } },
  names: [0, 1],
  act({ names: [repository], flags: { forget, 'forget-all': all } }) {
    if (repository === undefined && (forget !== undefined || all === true))
      throw new Failure('--forget and --forget-all need a REPOSITORY', 2);
    return { repository, forget, all };
  },
  async read(api, { repository, forget, all }) {
    if (repository === undefined)
      return dataOf(api.call(listRepositoryMemories, { query: { limit: REPOSITORY_MEMORIES_PAGE_MAX } }));
    const query = { repository };
    if (typeof forget === 'string')
      await dataOf(api.call(forgetRepositoryEntry, { params: { memory_id: forget }, query }));
    if (all === true) await dataOf(api.call(forgetRepositoryMemory, { query }));
    return dataOf(api.call(getRepositoryMemory, { query }));
  },
  text: (answer, _act, nowMs) =>
    'memories' in answer
      ? memoriesLines(answer.memories, nowMs)
      : entriesLines(answer.entries, answer.repository, nowMs),
});
