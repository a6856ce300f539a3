import { cancelRun, listRuns, type Run, type RunState } from '@hamlet/contract';
import { type IntentState, type Pages, useIntent, usePages } from '../../client/query/use-live.ts';

interface RunFilter {
  readonly agent: string | null;
  readonly schedule: string | null;
  readonly state: RunState | null;
  readonly page: number;
}
export type RunsLive = Pages<Run, unknown>;

export function useRuns({ agent, schedule, state, page }: RunFilter): RunsLive {
  const narrowed = {
    ...(agent === null ? {} : { agent_id: agent }),
    ...(schedule === null ? {} : { schedule }),
    ...(state === null ? {} : { state }),
  };
  return usePages(listRuns, { query: { limit: page, ...narrowed } }, { list: 'runs', id: 'run_id', everyMs: 2000 });
}

export function useCancelRun(runId: string): IntentState & { readonly cancel: () => Promise<void> } {
  const { busy, done, refused, call } = useIntent();
  const cancel = async (): Promise<void> => {
    await call(cancelRun, { params: { run_id: runId }, body: {} });
  };
  return { busy, done, refused, cancel };
}
