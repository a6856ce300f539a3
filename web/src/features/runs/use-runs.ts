import { type CallData, listRuns, type Run, type RunState } from '@hamlet/contract';
import type { PageOf } from '../../client/query/pages.ts';
import { type Pages, usePages } from '../../client/query/use-pages.ts';

const PAGES = {
  everyMs: 2000,
  pageOf: ({ runs: rows, next_cursor: next }: CallData<typeof listRuns>): PageOf<Run> => ({ rows, next }),
  idOf: (run: Run): string => run.run_id,
};

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
  return usePages(listRuns, (cursor) => ({ query: { limit: page, ...narrowed, ...cursor } }), PAGES);
}
