import { type HandsCall, listCalls, type Run } from '@hamlet/contract';
import { runRefreshMs } from '../../client/minds/run-refresh.ts';
import { useLive } from '../../client/query/use-live.ts';
import { type Pages, usePages } from '../../client/query/use-pages.ts';

const UNDOS_EVERY_MS = 10_000;
const PAGE = 50;

/** The calls of a run in the hands, newest first, read again with each new event of the run. */
export function useRunCalls(run: Pick<Run, 'run_id' | 'state'>, version: number): Pages<HandsCall, unknown> {
  return usePages(listCalls, (cursor) => ({ query: { run_id: run.run_id, limit: PAGE, ...cursor } }), {
    everyMs: runRefreshMs(run),
    pageOf: ({ calls: rows, next_cursor: next }) => ({ rows, next }),
    idOf: ({ run_id: id, call_id: call }) => `${id} ${call}`,
    version,
  });
}

const NO_CALLS: readonly HandsCall[] = [];

/** The newest undos of an agent in all of its runs; none are requested for null. */
export function useUndos(agentId: string | null): readonly HandsCall[] {
  const input = agentId === null ? null : { query: { agent_id: agentId, tool: 'undo_change', limit: PAGE } };
  return useLive(listCalls, input, UNDOS_EVERY_MS).data?.calls ?? NO_CALLS;
}
