import {
  forgetRepositoryEntry,
  forgetRepositoryMemory,
  getRepositoryMemory,
  listRepositoryMemories,
  ProblemError,
  REPOSITORY_MEMORIES_PAGE_MAX,
  type MemoryEntry,
  type Outcome,
  type RepositoryMemory,
} from '@hamlet/contract';
import { Failure, type Command } from '../command.ts';
import { printable } from '../talk/printable.ts';
import { age, brief, jsonText, table } from '../table.ts';
import { API_DETAILS, API_OPTIONS, withApi } from '../village-api.ts';

const TEXT_CHARS = 60;

export function memoriesLines(memories: readonly RepositoryMemory[], nowMs: number): string {
  if (memories.length === 0) return 'no repository has a memory';
  return table(
    ['REPOSITORY', 'ENTRIES', 'BYTES', 'AGENTS', 'CHANGED'],
    memories.map(({ repository, entries, bytes, agents, changed_at }) => [
      printable(repository),
      String(entries),
      String(bytes),
      agents.join(',') || '-',
      age(changed_at, nowMs),
    ]),
  );
}

export function entriesLines(entries: readonly MemoryEntry[], repository: string, nowMs: number): string {
  if (entries.length === 0) return `${printable(repository)} has no memory`;
  return table(
    ['ID', 'BY', 'CHANGED', 'OUTSIDE', 'TEXT'],
    entries
      .toReversed()
      .map((entry) => [
        entry.memory_id,
        entry.agent_id,
        age(entry.changed_at, nowMs),
        entry.outside ? 'yes' : 'no',
        printable(brief(textOf(entry), TEXT_CHARS)),
      ]),
  );
}

function textOf({ kind, memory_id: id, name, type, to, observations }: MemoryEntry): string {
  if (kind === 'relation') return `${name} ${type} ${to ?? ''}`;
  const words = observations.join(' ');
  return id === name ? words : `${name} (${type}): ${words}`;
}

function dataOf<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new ProblemError(outcome.problem);
  return outcome.data;
}

export const memory: Command = {
  name: 'memory',
  usage: '[REPOSITORY] [--forget=ID | --forget-all]',
  summary: 'lists memories of repositories, or the entries of one, and deletes from it',
  details: `All agents that work in a repository share its memory. REPOSITORY is a name of the list or an address. --forget=ID
deletes one entry, --forget-all the whole memory; neither can be undone, and the audit keeps who did it.\n\n${API_DETAILS}`,
  options: { ...API_OPTIONS, forget: { type: 'string' }, 'forget-all': { type: 'boolean' } },
  names: [0, 1],
  async run(invocation) {
    const { json, print, nowMs, names, flags } = invocation;
    const [repository] = names;
    const { forget, 'forget-all': all } = flags;
    if (repository === undefined && (forget !== undefined || all === true))
      throw new Failure('--forget and --forget-all need a REPOSITORY', 2);
    await withApi(invocation, async (api) => {
      if (repository === undefined) {
        const answer = dataOf(
          await api.call(listRepositoryMemories, { query: { limit: REPOSITORY_MEMORIES_PAGE_MAX } }),
        );
        return print(json ? jsonText(answer) : memoriesLines(answer.memories, nowMs));
      }
      const query = { repository };
      if (typeof forget === 'string')
        dataOf(await api.call(forgetRepositoryEntry, { params: { memory_id: forget }, query }));
      if (all === true) dataOf(await api.call(forgetRepositoryMemory, { query }));
      const answer = dataOf(await api.call(getRepositoryMemory, { query }));
      print(json ? jsonText(answer) : entriesLines(answer.entries, answer.repository, nowMs));
    });
    return 0;
  },
};
