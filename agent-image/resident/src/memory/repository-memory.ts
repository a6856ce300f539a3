import { MEMORY_CHANGES_MAX } from '@hamlet/contract/resident';
import type { MemoryChange, MemoryEntry, Refusal } from '@hamlet/contract';
import type { Repository } from '../hands/repository/work-trees.ts';
import { retry, type RetryPorts } from '../village/retry.ts';
import type { RunLease } from '../village/village.ts';
import type { MemoryUse, UsedMemory, WorkVillage } from '../village/work-village.ts';
import type { MemorySeed } from './entity.ts';
import { recallFrom } from './word-match.ts';

/** The runs on which this process works. */
export interface MemoryRuns {
  find(run: string): { readonly lease: RunLease; readonly repository: Repository | null } | undefined;
}

export interface MemoryRefused {
  readonly kind: 'refused';
  readonly code: Refusal | 'run_unknown';
  readonly detail: string;
}
export type MemoryAnswer = Readonly<{ kind: 'ok'; value: UsedMemory }> | MemoryRefused;

/**
 * The memory of a run's repository. The API stores it and shares it among all agents that work in the repository, so each use is
 * a request, and a change is stored when the API has answered.
 */
export interface RepositoryMemory {
  /** True if the run works in a repository, and so uses this memory instead of the agent's own. */
  has(run: string): boolean;
  use(run: string, use: MemoryUse, signal: AbortSignal): Promise<MemoryAnswer>;
}

interface Ports extends RetryPorts {
  readonly work: Pick<WorkVillage, 'repositoryMemory'>;
  readonly book: MemoryRuns;
  readonly seed: MemorySeed;
}

const MAX_REMEMBERED = 64;

export function createRepositoryMemory(ports: Ports): RepositoryMemory {
  const begun = new Set<string>();
  const ask = async (run: string, use: MemoryUse, signal: AbortSignal): Promise<MemoryAnswer> => {
    const booked = ports.book.find(run);
    if (booked === undefined) return { kind: 'refused', code: 'run_unknown', detail: 'The run has ended.' };
    return retry(() => ports.work.repositoryMemory(run, booked.lease, use), signal, ports);
  };
  const begin = async (run: string, url: string, signal: AbortSignal): Promise<void> => {
    if (begun.has(url)) return;
    const found = await ask(run, { read: 'none' }, signal);
    if (found.kind === 'refused') return;
    const changes = found.value.version > 0 ? [] : seedChanges(ports.seed);
    // A run in safe mode may not write, so a later run creates the memory.
    if (changes.length > 0 && (await ask(run, { changes, read: 'none' }, signal)).kind === 'refused') return;
    if (begun.size >= MAX_REMEMBERED) begun.clear();
    begun.add(url);
  };
  return {
    has: (run) => (ports.book.find(run)?.repository ?? null) !== null,
    use: async (run, use, signal) => {
      const url = ports.book.find(run)?.repository?.url;
      if (url !== undefined) await begin(run, url, signal);
      return ask(run, use, signal);
    },
  };
}

/** The seed as changes. A custom image may have a seed that is longer than one request. */
function seedChanges({ entities }: MemorySeed): readonly MemoryChange[] {
  return entities.slice(0, MEMORY_CHANGES_MAX).map(({ name, entityType, observations }) => ({
    op: 'add',
    name,
    type: entityType,
    observations: [...observations],
  }));
}

/** An entry of a repository's memory as a model reads it. */
export interface SharedNote {
  readonly id: string;
  readonly text: string;
  readonly about: string | null;
  readonly pinned: boolean;
  readonly isOutside: boolean;
  readonly by: string;
}

/** The entities of a memory as notes, newest first. An entry states its name and type. Pure. */
export function notesOf(entries: readonly MemoryEntry[]): readonly SharedNote[] {
  return entries
    .filter(({ kind }) => kind === 'entity')
    .map(noteOf)
    .toReversed();
}

function noteOf({
  memory_id: id,
  name,
  type,
  about,
  observations,
  pinned,
  outside,
  agent_id,
}: MemoryEntry): SharedNote {
  const isNote = id === name;
  return {
    id,
    text: observations.join(isNote ? '\n' : ' '),
    about: isNote ? about : `${name} (${type})`,
    pinned,
    isOutside: outside,
    by: agent_id,
  };
}

/** Memories that a message may need. Those of others never enter a prompt: a line says that the model may read them. */
export async function recallShared(
  memory: RepositoryMemory,
  { run, text }: { readonly run: string; readonly text: string },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const answer = await memory.use(run, { read: 'own' }, signal);
  if (answer.kind === 'refused') return [];
  const { entries, outside } = answer.value;
  const recalled = recallFrom(notesOf(entries), text).map(({ about, text: words }) =>
    about === null ? `- ${words}` : `- about ${about}: ${words}`,
  );
  return outside === 0 ? recalled : [...recalled, moreOf(outside)];
}

const moreOf = (outside: number): string =>
  `- The memory of this repository has ${outside} more from others or from outside: list_memories and search_memories show them.`;
