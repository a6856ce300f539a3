import { listRuns, type Run, type RunState } from '@hamlet/contract';
import { useCallback } from 'react';
import type { Refused, Reply } from '../../client/api.ts';
import type { PageOf } from '../../client/ask/pages-state.ts';
import { usePages } from '../../client/ask/use-pages.ts';
import { useVillage } from '../village-context.ts';

const PAGES = { everyMs: 2000, idOf: (run: Run): string => run.run_id };

/** What runs are narrowed to; null is all. */
export interface RunFilter {
  readonly agent: string | null;
  readonly schedule: string | null;
  readonly state: RunState | null;
  readonly page: number;
}
export interface RunsLive {
  readonly runs: readonly Run[] | null;
  readonly refused: Refused | null;
  readonly more: (() => Promise<void>) | null;
  again(): void;
}

/** The runs that a filter lets through, newest first, kept up to date; `more` reads older ones, null where there are none. */
export function useRuns({ agent, schedule, state, page }: RunFilter): RunsLive {
  const { api } = useVillage();
  const read = useCallback(
    async (cursor: string | null, signal?: AbortSignal): Promise<Reply<PageOf<Run>>> => {
      const narrowed = {
        ...(agent === null ? {} : { agent_id: agent }),
        ...(schedule === null ? {} : { schedule }),
        ...(state === null ? {} : { state }),
      };
      const reply = await api.call(listRuns, {
        ...(signal === undefined ? {} : { signal }),
        query: { limit: page, ...narrowed, ...(cursor === null ? {} : { cursor }) },
      });
      return reply.ok ? { ok: true, data: { rows: reply.data.runs, next: reply.data.next_cursor } } : reply;
    },
    [api, agent, schedule, state, page],
  );
  const { rows, refused, more, again } = usePages(read, {
    ...PAGES,
    question: JSON.stringify([agent, schedule, state]),
  });
  return { runs: rows, refused, more, again };
}
