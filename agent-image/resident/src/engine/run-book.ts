import { randomUUID } from 'node:crypto';
import type { CallData, RunFile, noteMemories as noteMemoriesRoute } from '@hamlet/contract';
import type { Remembered } from '@hamlet/engine/memory';
import { repositoryId } from '@hamlet/core/git';
import type { Reader } from '../memory/recall.ts';
import type { GitAuthor } from '../hands/package-environment.ts';
import type { Repository } from '../hands/repository/work-trees.ts';
import type { Skill } from '../skills/skill-folder.ts';
import type { RunLease } from '../village/village.ts';
import type { LimitedRun } from '../toolset/tool-rules.ts';
import type { BookedStage, BookedWorkflow } from './booked-workflow.ts';
import { retry, type RetryPorts } from '../village/retry.ts';
import type { WorkVillage } from '../village/work-village.ts';

export interface BookedRun extends LimitedRun {
  readonly runId: string;
  readonly lease: RunLease;
  /** The agent's model at the start of the run, with its context size in tokens; null if the agent has none. */
  readonly model: { readonly name: string; readonly contextTokens: number | null } | null;
  /** The people of the run: only memories that each of them may know enter it. */
  readonly audience: readonly string[];
  readonly repository: Repository | null;
  /** For whom the run uses the memory of its repository; null for everybody who may use the repository. */
  readonly memoryAudience: readonly string[] | null;
  /** The person for whom the run commits; null for a run without a person. */
  readonly author: GitAuthor | null;
  readonly files?: readonly RunFile[] | undefined;
  /** Present if the run carries out a workflow, or works for a stage of one. */
  readonly workflow?: BookedWorkflow | undefined;
  readonly stage?: BookedStage | undefined;
  /** True for a worker, whose prompt contains no memories. */
  readonly isWorker?: boolean;
  /** Called when the API reports that the lease is over. */
  readonly onLeaseLost: () => void;
  skills?: ReadonlyMap<string, Skill>;
  readonly refused: Set<string>;
  readonly refusals: Map<string, string>;
}

/** An id in place of a run, for a program that serves one run of a conversation after another. */
export interface StandIn {
  readonly id: string;
  /** The id then stands for this run; null between runs. */
  serve(runId: string | null): void;
  end(): void;
}

export interface RunBook {
  open(run: BookedRun): void;
  close(runId: string): void;
  /** Finds a run in progress by its id or by that of its stand-in. */
  find(runId: string): BookedRun | undefined;
  standIn(): StandIn;
  isStandIn(id: string): boolean;
  /** Context size in tokens of these runs' model; null if unknown. */
  contextTokensOf(model: string): number | null;
  readonly size: number;
}

export function createRunBook(): RunBook {
  const runs = new Map<string, BookedRun>();
  const standIns = new Map<string, string | null>();
  return {
    open: (run) => void runs.set(run.runId, run),
    close: (runId) => void runs.delete(runId),
    find: (id) => runs.get(standIns.get(id) ?? id),
    standIn: () => {
      const id = randomUUID();
      standIns.set(id, null);
      return {
        id,
        serve: (runId) => void (standIns.has(id) && standIns.set(id, runId)),
        end: () => void standIns.delete(id),
      };
    },
    isStandIn: (id) => standIns.has(id),
    contextTokensOf: (name) => {
      for (const { model } of runs.values()) if (model?.name === name) return model.contextTokens;
      return null;
    },
    get size() {
      return runs.size;
    },
  };
}

interface MemoryNoting extends RetryPorts {
  readonly work: Pick<WorkVillage, 'noteMemories'>;
  readonly book: Pick<RunBook, 'find'>;
}

interface UsedMemories {
  readonly run: string;
  readonly written?: readonly string[];
  readonly recalled?: readonly Pick<Remembered, 'id' | 'taint'>[];
  readonly signal: AbortSignal;
}

/** The reader of the agent's memory in a run. In a run that has ended, only common memories are read. Pure. */
export const memoryReaderOf = (booked: Pick<BookedRun, 'audience' | 'repository'> | undefined): Reader => {
  const repository = booked?.repository ?? null;
  return { present: booked?.audience ?? [], repository: repository === null ? null : repositoryId(repository.url) };
};

export type NotedMemories = Readonly<CallData<typeof noteMemoriesRoute>>;

/**
 * Reports to the API which memories a run is about to write or recall, with the marks of the store; the API records which of them
 * come from tainted runs.
 * Returns the tainted and the forgotten ones among the recalled; forgotten ones must not be used. Null if the API refuses: then none
 * may be used.
 */
export async function noteMemories(
  ports: MemoryNoting,
  { run, written = [], recalled = [], signal }: UsedMemories,
): Promise<NotedMemories | null> {
  const booked = ports.book.find(run);
  if (booked === undefined) return null;
  const outside = recalled.filter(({ taint }) => taint === 'outside');
  const ids = { written, recalled: idsOf(recalled), outside: idsOf(outside) };
  const answer = await retry(() => ports.work.noteMemories(run, booked.lease, ids), signal, ports);
  return answer.kind === 'ok' ? answer.value : null;
}

const idsOf = (memories: readonly Pick<Remembered, 'id'>[]): readonly string[] => memories.map(({ id }) => id);
