import { useCallback, useEffect, useState } from 'react';
import type { Refused, Reply } from '../api.ts';
import { type PageOf, pagesFor, type PagesState, withFirst, withLater, withRefusal } from './pages-state.ts';
import { useLive } from './use-live.ts';

/** A list as far as it was read; `more` reads on, null where there is no more. */
export interface Pages<T> {
  readonly rows: readonly T[] | null;
  readonly refused: Refused | null;
  readonly more: (() => Promise<void>) | null;
  again(): void;
}

interface PagesOptions<T> {
  /** What is asked, as a text: the list is emptied when it changes, and only then. */
  readonly question: string;
  readonly everyMs: number;
  idOf(row: T): string;
  /** Changes when the answer may have: the first page is then asked for at once, and the list stays meanwhile. */
  readonly version?: number | string;
}

/**
 * A list in pages, whose first page is asked for again and again; see `withFirst` for how the pages stay together.
 * @param read must be the same function while the question is the same; null asks nothing
 */
export function usePages<T>(
  read: ((cursor: string | null, signal?: AbortSignal) => Promise<Reply<PageOf<T>>>) | null,
  { question, everyMs, idOf, version = '' }: PagesOptions<T>,
): Pages<T> {
  const [known, setState] = useState<PagesState<T>>({ question, rows: null, next: null, pages: 0, refused: null });
  const state = pagesFor(known, question);
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const readFirst = useCallback(
    async (signal: AbortSignal) => {
      const reply = read === null ? null : await read(null, signal);
      if (reply === null) throw new Error('nothing was asked');
      return reply.ok ? { ok: true as const, data: { question, page: reply.data } } : reply;
    },
    [read, question, version],
  );
  const live = useLive(read === null ? null : readFirst, everyMs);
  useEffect(() => {
    const { data, refused } = live;
    if (data !== null && refused === null)
      setState((now) => (data.question === question ? withFirst(pagesFor(now, question), data.page, idOf) : now));
    if (refused !== null) setState((now) => withRefusal(pagesFor(now, question), question, refused));
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [live.data, live.refused, question]);
  const more = async (from: string): Promise<void> => {
    const reply = read === null ? null : await read(from);
    if (reply === null) return;
    setState((now) =>
      reply.ok ? withLater(now, { question, from, page: reply.data }, idOf) : withRefusal(now, question, reply.refused),
    );
  };
  const { next } = state;
  return { rows: state.rows, refused: state.refused, more: next === null ? null : () => more(next), again: live.again };
}
