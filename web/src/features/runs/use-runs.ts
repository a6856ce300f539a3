import { cancelRun, listRuns, type Run, type RunState } from '@hamlet/contract';
import { type Pages, usePages } from '../../client/query/use-live.ts';
import { type IntentState, useIntent } from '../../client/query/use-intent.ts';
import { useVillage } from '../village-context.ts';

/** The filters of runs; null does not filter. */
export interface RunFilter {
  readonly agent: string | null;
  readonly schedule: string | null;
  readonly state: RunState | null;
  readonly page: number;
}
export type RunsLive = Pages<Run, unknown>;

/** The runs that match a filter, newest first, kept up to date. */
export function useRuns({ agent, schedule, state, page }: RunFilter): RunsLive {
  const narrowed = {
    ...(agent === null ? {} : { agent_id: agent }),
    ...(schedule === null ? {} : { schedule }),
    ...(state === null ? {} : { state }),
  };
  return usePages(listRuns, (cursor) => ({ query: { limit: page, ...narrowed, ...cursor } }), {
    everyMs: 2000,
    pageOf: ({ runs: rows, next_cursor: next }) => ({ rows, next }),
    idOf: ({ run_id: id }) => id,
  });
}

/** Cancels a run, and has the outcome of the last attempt. */
export function useCancelRun(runId: string): IntentState & { readonly cancel: () => Promise<void> } {
  const { api } = useVillage();
  const { busy, done, refused, send } = useIntent();
  const cancel = async (): Promise<void> => {
    await send((idempotencyKey) => api.call(cancelRun, { params: { run_id: runId }, body: {}, idempotencyKey }));
  };
  return { busy, done, refused, cancel };
}
