import type { Policy } from '@hamlet/contract';
import type { RunLease } from '../village/village.ts';

/** Facts about a run under way for the tools and ports of the engine. */
export interface BookedRun {
  readonly runId: string;
  readonly lease: RunLease;
  /** Null if only the API judges calls. */
  readonly policy: Pick<Policy, 'rules'> | null;
  /** Only memories of this audience, and public ones, enter the run. */
  readonly audience: string;
  /** Called when the API says that the lease is over. */
  readonly onLeaseLost: () => void;
  /** Questions that the API did not put to people. */
  readonly refused: Set<string>;
}

/** The runs on which this process works. */
export interface RunBook {
  open(run: BookedRun): void;
  close(runId: string): void;
  find(runId: string): BookedRun | undefined;
  readonly size: number;
}

/** Mutable because runs come and go. */
export function createRunBook(): RunBook {
  const runs = new Map<string, BookedRun>();
  return {
    open: (run) => void runs.set(run.runId, run),
    close: (runId) => void runs.delete(runId),
    find: (runId) => runs.get(runId),
    get size() {
      return runs.size;
    },
  };
}
