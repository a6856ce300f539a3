import { getLedger, LEDGER_PAGE_MAX } from '@hamlet/contract';
import { useRef, useState } from 'react';
import type { Api, Refused, Reply } from '../../client/api.ts';
import { useAnswer, useAsking } from '../../client/query/use-live.ts';
import { type History, NO_HISTORY, PAGES_MAX, reaches, withPage } from './history.ts';

const REFRESH_MS = 8000;

export interface HistoriesLive {
  readonly histories: ReadonlyMap<string, History>;
  readonly refused: Refused | null;
  readonly reading: boolean;
}

/**
 * The entries of these agents, back to `fromMs` for a plot. A refresh reads the newest page, and older pages only for
 * entries that it does not know.
 */
export function useHistories(ids: readonly string[], fromMs: number): HistoriesLive {
  const { api } = useAsking();
  const known = useRef(new Map<string, History>());
  const [histories, setHistories] = useState<ReadonlyMap<string, History>>(new Map());
  const wanted = ids.join(',');
  const read = async (): Promise<Reply<true>> => {
    for (const id of wanted.split(',').filter((name) => name !== '')) {
      const reply = await readBack(api, { id, fromMs, known: known.current.get(id) ?? NO_HISTORY });
      if (!reply.ok) return reply;
      known.current.set(id, reply.data);
    }
    setHistories(new Map(known.current));
    return { ok: true, data: true };
  };
  const live = useAnswer({ key: ['histories', wanted, fromMs], read, everyMs: REFRESH_MS });
  return { histories, refused: live.refused, reading: live.refused === null && ids.some((id) => !histories.has(id)) };
}

/** Reads pages, newest first, until the history reaches `fromMs` or the limit of pages. */
async function readBack(
  api: Api,
  { id, fromMs, known }: { readonly id: string; readonly fromMs: number; readonly known: History },
): Promise<Reply<History>> {
  let history = known;
  let cursor: string | null = null;
  for (let page = 0; page < PAGES_MAX; page++) {
    const reply: Reply<{ readonly entries: History['entries']; readonly next_cursor: string | null }> = await api.call(
      getLedger,
      { params: { agent_id: id }, query: { limit: LEDGER_PAGE_MAX, ...(cursor === null ? {} : { cursor }) } },
    );
    if (!reply.ok) return reply;
    history = withPage(history, reply.data.entries);
    cursor = reply.data.next_cursor;
    if (cursor === null || reaches(history, fromMs)) break;
  }
  return { ok: true, data: history };
}
