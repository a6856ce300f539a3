import { type CallData, listTurns } from '@hamlet/contract';
import { type Pages, usePages } from '../../../client/query/use-pages.ts';

export type Turn = CallData<typeof listTurns>['turns'][number];
const PAGE = 100;
const EVERY_MS = 8000;

/** The turns of an agent, newest first; all components that show them share one request. No request unless `may`. */
export function useTurns(id: string, may: boolean): Pages<Turn, CallData<typeof listTurns>> {
  return usePages(
    listTurns,
    may ? (cursor) => ({ params: { agent_id: id }, query: { limit: PAGE, ...cursor } }) : null,
    {
      everyMs: EVERY_MS,
      pageOf: ({ turns: rows, next_cursor: next }) => ({ rows, next }),
      idOf: ({ turn_id: turnId }) => turnId,
    },
  );
}
