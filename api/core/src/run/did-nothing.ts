import type { RunKind } from '@hamlet/contract';

export interface RunResult {
  readonly kind: RunKind;
  /** Null for a resident that names no runtime: its summary is its answer. */
  readonly runtime: string | null;
  readonly answer: string | undefined;
  /** Recorded steps and settled calls. */
  readonly effects: number;
}

/** True if a run has no effect and no answer. For a message only an answer counts. Pure. */
export function didNothing({ kind, runtime, answer, effects }: RunResult): boolean {
  if (answer !== undefined && answer.trim() !== '') return false;
  if (runtime === null) return false;
  return kind === 'message' || effects === 0;
}
