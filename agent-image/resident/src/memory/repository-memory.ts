import type { MemoryEntry, Refusal } from '@hamlet/contract';
import type { Repository } from '../hands/repository/work-trees.ts';
import { retry, type RetryPorts } from '../village/retry.ts';
import type { RunLease } from '../village/village.ts';
import type { MemoryUse, UsedMemory, WorkVillage } from '../village/work-village.ts';
import { inOneLine } from '@hamlet/core/shorten';
import { rankTexts } from '@hamlet/engine/words';

/** The runs on which this process works. */
export interface MemoryRuns {
  find(run: string): MemoryRun | undefined;
}

interface MemoryRun {
  readonly lease: RunLease;
  readonly repository: Repository | null;
  /** For whom the run uses the memory of its repository; null for everybody who may use the repository. */
  readonly memoryAudience: readonly string[] | null;
}

export interface MemoryRefused {
  readonly kind: 'refused';
  readonly code: Refusal | 'run_unknown';
  readonly detail: string;
}
export type MemoryAnswer = Readonly<{ kind: 'ok'; value: UsedMemory }> | MemoryRefused;

/**
 * The memory of a run's repository. The API stores it and shares it among all agents that work in the repository, for the people of
 * each session, so each use is a request, and a change is stored when the API has answered.
 */
export interface RepositoryMemory {
  /** True if the run works in a repository, and so uses this memory instead of the agent's own. */
  has(run: string): boolean;
  /** True if what the run adds is for the people of its session alone. */
  isPrivate(run: string): boolean;
  use(run: string, use: MemoryUse, signal: AbortSignal): Promise<MemoryAnswer>;
}

interface Ports extends RetryPorts {
  readonly work: Pick<WorkVillage, 'repositoryMemory'>;
  readonly book: MemoryRuns;
}

export function createRepositoryMemory(ports: Ports): RepositoryMemory {
  return {
    has: (run) => (ports.book.find(run)?.repository ?? null) !== null,
    isPrivate: (run) => (ports.book.find(run)?.memoryAudience ?? null) !== null,
    use: async (run, use, signal) => {
      const booked = ports.book.find(run);
      if (booked === undefined) return { kind: 'refused', code: 'run_unknown', detail: 'The run has ended.' };
      return retry(() => ports.work.repositoryMemory(run, booked.lease, use), signal, ports);
    },
  };
}

/** An entry of a repository's memory as a model reads it. */
export interface SharedNote {
  readonly id: string;
  readonly text: string;
  readonly about: string | null;
  readonly pinned: boolean;
  readonly isOutside: boolean;
  readonly isPrivate: boolean;
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
  audience,
  agent_id,
}: MemoryEntry): SharedNote {
  const isNote = id === name;
  return {
    id,
    text: observations.join(isNote ? '\n' : ' '),
    about: isNote ? about : `${name} (${type})`,
    pinned,
    isOutside: outside,
    isPrivate: audience !== null,
    by: agent_id,
  };
}

/** The notes that share words with a query, best first; of equal ones the newer first. Pure. */
export function searchNotes(notes: readonly SharedNote[], query: string): readonly SharedNote[] {
  const texts = notes.map(({ about, text }) => (about === null ? text : `${about} ${text}`));
  return rankTexts(texts, query).flatMap((index) => notes[index] ?? []);
}

const RECALLED_MAX = 6;

/**
 * Memories that a message may need, pinned ones first; the engine bounds their text. Memories of other agents never enter a prompt: a line
 * says that the model may read them.
 */
export async function recallShared(
  memory: RepositoryMemory,
  { run, text }: { readonly run: string; readonly text: string },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const answer = await memory.use(run, { read: 'own' }, signal);
  if (answer.kind === 'refused') return [];
  const { entries, outside } = answer.value;
  const notes = notesOf(entries);
  const fitting = searchNotes(notes, text).filter(({ pinned }) => !pinned);
  const best = [...notes.filter(({ pinned }) => pinned), ...fitting.slice(0, RECALLED_MAX)];
  const recalled = best.map(
    ({ about, text: words }) => `- ${inOneLine(about === null ? words : `about ${about}: ${words}`)}`,
  );
  return outside === 0 ? recalled : [...recalled, moreOf(outside)];
}

const moreOf = (outside: number): string =>
  `- The memory of this repository has ${outside} more from others or from outside: list_memories and search_memories show them.`;
