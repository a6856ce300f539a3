import type { MemoryChange, MemoryChangeResult } from '@hamlet/contract';
import { batchesOf, changesOfGraph } from './graph-file.ts';
import type { FileMemory, FoundFile, NotKept } from './exchange-file.ts';
import type { MemoryAnswer, RepositoryMemory } from '../repository-memory.ts';

/** The memory of a repository behind its file: the API takes the changes, and has the truth. */
export const repositoryFile = (memory: RepositoryMemory): FileMemory => ({
  exchange: async (run, found, signal) => {
    const { base, file, mayDelete } = found;
    const changes = base === null || file === null ? [] : changesOfGraph(base, file, { mayDelete });
    const refused: NotKept[] = [];
    const answer = await sendChanges(memory, { ...found, run, changes, refused }, signal);
    return answer.kind === 'refused' ? answer : { kind: 'kept', entries: answer.value.entries, refused };
  },
});

interface Sending extends Pick<FoundFile, 'read' | 'left'> {
  readonly run: string;
  readonly changes: readonly MemoryChange[];
  readonly refused: NotKept[];
}

/** Sends changes in as few requests as possible, because the API limits an agent's requests. The last request also reads. */
async function sendChanges(
  memory: RepositoryMemory,
  { run, left, read, changes, refused }: Sending,
  signal: AbortSignal,
): Promise<MemoryAnswer> {
  const batches = batchesOf(changes);
  const collect = (results: readonly MemoryChangeResult[]): void =>
    void refused.push(...results.filter((result) => result !== 'done' && result !== 'no_such_memory'));
  for (const batch of batches.slice(0, -1)) {
    const sent = await memory.use(run, { changes: batch, left, read: 'none' }, signal);
    if (sent.kind === 'refused') return sent;
    collect(sent.value.results);
  }
  const last = await memory.use(run, { changes: batches.at(-1) ?? [], left, read }, signal);
  if (last.kind === 'ok') collect(last.value.results);
  return last;
}
