import type { CallData, CallInput, RouteSpec } from '@hamlet/contract';
import type { Refused } from '../api.ts';
import type { Answer } from './answer.ts';
import { type PageOf, type PagesState, withFirst, withLater } from './pages.ts';
import { type Pace, useAnswer, useAsking } from './use-live.ts';

/** The part of a request that selects a page. */
export type Cursor = { readonly cursor?: string };

/**
 * The pages read so far. `more` reads the next page, and is null at the end. `first` is the newest answer for the first
 * page.
 */
export interface Pages<T, D> {
  readonly rows: readonly T[] | null;
  readonly first: D | null;
  readonly refused: Refused | null;
  readonly more: (() => Promise<void>) | null;
  again(): void;
}

interface PagesOptions<D, T> {
  readonly everyMs: Pace<{ readonly first: D }>;
  pageOf(data: D): PageOf<T>;
  idOf(row: T): string;
  /** When this value changes, the first page is requested at once; the list stays meanwhile. */
  readonly version?: number | string;
  /** When this value changes, later pages may be out of date: the list drops them when the new first page arrives. */
  readonly epoch?: number;
}

interface Known<T, D> extends PagesState<T> {
  readonly first: D;
  readonly epoch: number;
}

/**
 * A list in pages that refreshes its first page at intervals; `withFirst` says how the pages are joined.
 * @param ask returns the input for a page, including the cursor; null sends no request. A different input for the first
 * page means a different list
 */
export function usePages<const R extends RouteSpec, T>(
  route: R,
  ask: ((cursor: Cursor) => CallInput<R>) | null,
  options: PagesOptions<CallData<R>, T>,
): Pages<T, CallData<R>> {
  const { api } = useAsking();
  const { everyMs, version = '', epoch = 0 } = options;
  const live = useAnswer<Known<T, CallData<R>>>({
    key: [route.name, 'pages', ask?.({}) ?? null],
    read:
      ask === null
        ? null
        : async (signal, latest) => {
            const reply = await api.call(route, { ...ask({}), signal });
            return reply.ok ? { ok: true, data: afterFirst(latest(), reply.data, options) } : reply;
          },
    everyMs,
    version: `${version} ${epoch}`,
  });
  const more = async (from: string): Promise<void> => {
    if (ask === null) return;
    const reply = await api.call(route, ask({ cursor: from }));
    live.change((answer) =>
      reply.ok ? afterLater(answer, { from, data: reply.data }, options) : { ...answer, refused: reply.refused },
    );
  };
  const { rows, first, next } = live.data ?? NOTHING;
  return {
    rows,
    first,
    refused: live.refused,
    more: next === null ? null : () => more(next),
    again: live.again,
  };
}
const NOTHING = { rows: null, first: null, next: null };

function afterFirst<D, T>(
  known: Known<T, D> | null,
  data: D,
  { pageOf, idOf, epoch = 0 }: PagesOptions<D, T>,
): Known<T, D> {
  return { ...withFirst(known?.epoch === epoch ? known : null, pageOf(data), idOf), first: data, epoch };
}

function afterLater<D, T>(
  answer: Answer<Known<T, D>>,
  { from, data }: { readonly from: string; readonly data: D },
  { pageOf, idOf }: PagesOptions<D, T>,
): Answer<Known<T, D>> {
  if (answer.data === null) return answer;
  return { ...answer, data: { ...answer.data, ...withLater(answer.data, { from, page: pageOf(data) }, idOf) } };
}
