import type { TaintMark } from '@hamlet/contract';
import type { RunRow } from '@hamlet/store';

/** The taints of a run, oldest first; null if no outside text has reached it. Pure. */
export function taintOf({ taint }: Pick<RunRow, 'taint'>): readonly TaintMark[] | null {
  return (
    taint?.map(({ source, detail, callId, fromRunId, at }) => ({
      source,
      detail,
      call_id: callId,
      run_id: fromRunId,
      at: new Date(at).toISOString(),
    })) ?? null
  );
}
