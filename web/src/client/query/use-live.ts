import type { CallData, CallInput, RefusalEntry, RouteSpec } from '@hamlet/contract';
import { newIdempotencyKey, REFUSALS } from '@hamlet/contract';
import type { QueryKey, QueryObserverOptions } from '@tanstack/react-query';
import { QueryCache, QueryClient, skipToken, useQuery } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { backoff } from '@hamlet/core';
import type { Api, Refused, Reply } from '../api.ts';
import { createStore, type Store, useStore } from '../store.ts';

/** How long the cache keeps an unused answer: a person who returns to a page sees it at once. */
const UNUSED_MS = 60_000;

/** Equal queries share a request, which is aborted when no component needs it. A hidden page sends none. */
export function createQueries(unusedMs = UNUSED_MS): QueryClient {
  return new QueryClient({
    // The Api never throws: an exception here is a bug.
    queryCache: new QueryCache({
      onError: (error, { queryKey }) => console.error('a request threw', queryKey, error),
    }),
    defaultOptions: { queries: { retry: false, staleTime: 0, gcTime: unusedMs, networkMode: 'always' } },
  });
}

/** The API, and the account that asks: the cache never shows one account the answers of another. */
type Asking = Readonly<{ api: Api; queries: QueryClient; viewer: string | null }>;
const Context = createContext<Asking | null>(null);
export const AskingProvider = Context.Provider;

export function useAsking(): Asking {
  const asking = useContext(Context);
  if (asking === null) throw new Error('AskingProvider is missing');
  return asking;
}

/** An answer that is kept up to date. After a failure the last good data stays, with the refusal. */
export interface Live<T> {
  readonly data: T | null;
  readonly refused: Refused | null;
  again(): void;
}

type Pace<T> = number | ((answer: Pick<Answer<T>, 'data' | 'refused'>) => number);

interface Question<T> {
  readonly key: QueryKey;
  /** Null sends no request. `latest` returns the newest cached data. */
  readonly read: ((signal: AbortSignal, latest: () => T | null) => Promise<Reply<T>>) | null;
  readonly everyMs: Pace<T>;
  /** When this value changes, the answer is requested at once; the previous answer stays until the new one arrives. */
  readonly version?: number | string | undefined;
}

/** The options for TanStack Query. A refusal is a part of the cached answer, so that rows stay while requests fail. */
export function answerOptions<T>(
  { queries, viewer }: Pick<Asking, 'queries' | 'viewer'>,
  { key, read, everyMs }: Omit<Question<T>, 'version'>,
): QueryObserverOptions<Answer<T>> & { readonly queryKey: QueryKey } {
  const queryKey = [viewer, ...key];
  const known = (): Answer<T> | undefined => queries.getQueryData<Answer<T>>(queryKey);
  return {
    queryKey,
    queryFn:
      read === null
        ? skipToken
        : async ({ signal }) => {
            const reply = await read(signal, () => known()?.data ?? null);
            signal.throwIfAborted();
            return answerAfter(known(), reply, Math.random());
          },
    refetchInterval: ({ state: { data: last = NO_ANSWER } }) =>
      waitMs(typeof everyMs === 'number' ? everyMs : everyMs(last), last),
  };
}

/** Requests an answer now and at intervals while a component shows it; less often while the API refuses. */
export function useAnswer<T>(question: Question<T>): Live<T> & {
  readonly change: (change: (answer: Answer<T>) => Answer<T>) => void;
} {
  const asking = useAsking();
  const { queries } = asking;
  const options = answerOptions(asking, question);
  const { data: answer = NO_ANSWER, refetch } = useQuery(options, queries);
  const { version } = question;
  const isAsked = question.read !== null;
  const askedVersion = useRef(version);
  useEffect(() => {
    if (askedVersion.current === version) return;
    askedVersion.current = version;
    if (isAsked) void refetch();
  }, [version, isAsked, refetch]);
  return {
    data: answer.data,
    refused: answer.refused,
    again: () => {
      if (isAsked) void refetch();
    },
    change: (change) =>
      queries.setQueryData<Answer<T>>(options.queryKey, (now) => (now === undefined ? now : change(now))),
  };
}
const NO_ANSWER: Answer<never> = { data: null, refused: null, failures: 0, chance: 0 };

/** The answer of a route, kept up to date. A null `input` sends no request. */
export function useLive<const R extends RouteSpec>(
  route: R,
  input: CallInput<R> | null,
  pace: Pace<CallData<R>> | { readonly everyMs: Pace<CallData<R>>; readonly version: number | string },
): Live<CallData<R>> {
  const { api } = useAsking();
  return useAnswer<CallData<R>>({
    key: [route.name, input],
    read: input === null ? null : (signal) => api.call(route, { ...input, signal }),
    ...(typeof pace === 'object' ? pace : { everyMs: pace }),
  });
}

export interface Answer<T> {
  readonly data: T | null;
  readonly refused: Refused | null;
  readonly failures: number;
  /** A random number, 0 to 1, from the last failure: it spreads the retries of many browsers. */
  readonly chance: number;
}

export function answerAfter<T>(before: Answer<T> | undefined, reply: Reply<T>, chance: number): Answer<T> {
  return reply.ok
    ? { data: reply.data, refused: null, failures: 0, chance: 0 }
    : { data: before?.data ?? null, refused: reply.refused, failures: (before?.failures ?? 0) + 1, chance };
}

/** The longest wait after failures, so that a page recovers soon after the village does. */
const SLOWEST_RETRY_MS = 15_000;

/** The wait before the next request: it grows with failures up to 15 s, or to the usual interval if that is longer. */
export function waitMs(everyMs: number, { failures, chance }: Pick<Answer<unknown>, 'failures' | 'chance'>): number {
  if (failures === 0) return everyMs;
  return backoff(failures + 1, { first: everyMs, longest: Math.max(SLOWEST_RETRY_MS, everyMs) }, chance);
}

/** `more` reads the next page, and is null at the end. `first` is the newest answer for the first page. */
export interface Pages<T, D> {
  readonly rows: readonly T[] | null;
  readonly first: D | null;
  readonly refused: Refused | null;
  readonly more: (() => Promise<void>) | null;
  again(): void;
}

type RowOf<D, L extends keyof D> = D[L] extends readonly (infer T)[] ? T : never;

interface PagesOptions<D, L extends keyof D> {
  readonly list: L;
  /** The field that identifies a row, or a function that returns its id. */
  readonly id: (keyof RowOf<D, L> & string) | ((row: RowOf<D, L>) => string);
  readonly everyMs: Pace<{ readonly first: D }>;
  /** When this value changes, the first page is requested at once; the list stays meanwhile. */
  readonly version?: number | string;
  /** When this value changes, later pages may be out of date: the list drops them when the new first page arrives. */
  readonly epoch?: number;
}

interface Known<T, D> extends PagesState<T> {
  readonly first: D;
  readonly epoch: number;
}

/** A list in pages that refreshes its first page. A null `input` sends no request; another input is another list. */
export function usePages<const R extends RouteSpec, L extends keyof CallData<R>>(
  route: R,
  input: CallInput<R> | null,
  { list, id, everyMs, version = '', epoch = 0 }: PagesOptions<CallData<R>, L>,
): Pages<RowOf<CallData<R>, L>, CallData<R>> {
  type Row = RowOf<CallData<R>, L>;
  const { api } = useAsking();
  const idOf = (row: Row): string => (typeof id === 'function' ? id(row) : String(row[id]));
  const pageOf = (data: CallData<R>): PageOf<Row> => {
    const page = data as unknown as Readonly<Record<L, readonly Row[]>> & { readonly next_cursor: string | null };
    return { rows: page[list], next: page.next_cursor };
  };
  const live = useAnswer<Known<Row, CallData<R>>>({
    key: [route.name, 'pages', input],
    read:
      input === null
        ? null
        : async (signal, latest) => {
            const reply = await api.call(route, { ...input, signal });
            if (!reply.ok) return reply;
            const known = latest();
            const pages = withFirst(known?.epoch === epoch ? known : null, pageOf(reply.data), idOf);
            return { ok: true, data: { ...pages, first: reply.data, epoch } };
          },
    everyMs,
    version: `${version} ${epoch}`,
  });
  const more = async (from: string): Promise<void> => {
    const { query, ...rest } = (input ?? {}) as { readonly query?: object };
    const reply = await api.call(route, { ...rest, query: { ...query, cursor: from } } as unknown as CallInput<R>);
    live.change((answer) => {
      if (!reply.ok || answer.data === null) return { ...answer, refused: reply.ok ? answer.refused : reply.refused };
      const pages = withLater(answer.data, { from, page: pageOf(reply.data) }, idOf);
      return { ...answer, data: { ...answer.data, ...pages } };
    });
  };
  const { rows, first, next } = live.data ?? NOTHING;
  return { rows, first, refused: live.refused, more: next === null ? null : () => more(next), again: live.again };
}
const NOTHING = { rows: null, first: null, next: null };

/** A page of a list, and the cursor of the next page; null at the end. */
type PageOf<T> = Readonly<{ rows: readonly T[]; next: string | null }>;

export interface PagesState<T> extends PageOf<T> {
  readonly pages: number;
}

/** Joins a new first page: rows that it pushed off stay. If it has no known row, the list starts again with it. */
export function withFirst<T>(state: PagesState<T> | null, page: PageOf<T>, idOf: (row: T) => string): PagesState<T> {
  const fresh = { rows: page.rows, next: page.next, pages: 1 };
  if (state === null || state.pages <= 1 || page.next === null) return fresh;
  const ids = new Set(page.rows.map(idOf));
  const meeting = state.rows.findLastIndex((row) => ids.has(idOf(row)));
  return meeting === -1 ? fresh : { ...state, rows: [...page.rows, ...state.rows.slice(meeting + 1)] };
}

/** Adds a later page, unless `from` is no longer the cursor at the present end. */
export function withLater<T>(
  state: PagesState<T>,
  { from, page }: { readonly from: string; readonly page: PageOf<T> },
  idOf: (row: T) => string,
): PagesState<T> {
  if (state.next !== from) return state;
  const known = new Set(state.rows.map(idOf));
  return {
    rows: [...state.rows, ...page.rows.filter((row) => !known.has(idOf(row)))],
    next: page.next,
    pages: state.pages + 1,
  };
}

/** The state of a write: being sent, refused (with the reason), or done since the last edit. */
export type IntentState = Readonly<{ busy: boolean; refused: Refused | null; done: boolean }>;
const NOTHING_SENT: IntentState = { busy: false, refused: null, done: false };

/** True if the API's refusal is final. After any other refusal the write may have happened, and keeps its key. */
export function isFinal({ code, status }: Pick<Refused, 'code' | 'status'>): boolean {
  const known: Readonly<Record<string, RefusalEntry | undefined>> = REFUSALS;
  return status > 0 && status < 500 && status !== 429 && known[code]?.retry !== 'later';
}

/**
 * Sends writes one at a time, each with the idempotency key of its intent. The key stays while the result is unknown,
 * so that a repeated write acts once. A new key replaces it after success, after a final refusal and for another
 * intent: the API repeats its answer to a key for a day, so an act that was refused under an old key would stay refused
 * after the cause is gone. Mutable because keys are used up.
 */
export class Intents {
  readonly state: Store<IntentState> = createStore<IntentState>(NOTHING_SENT);
  readonly #newKey: () => string;
  #key: string;
  #intent: string | null = null;

  constructor(newKey: () => string = newIdempotencyKey) {
    this.#newKey = newKey;
    this.#key = newKey();
  }

  /** Sends a write; null if another write has no answer yet. `intent` distinguishes the writes of one form. */
  async send<T>(call: (idempotencyKey: string) => Promise<Reply<T>>, intent = ''): Promise<Reply<T> | null> {
    if (this.state.get().busy) return null;
    if (this.#intent !== null && this.#intent !== intent) this.#key = this.#newKey();
    this.#intent = intent;
    this.state.set(() => ({ busy: true, refused: null, done: false }));
    try {
      const reply = await call(this.#key);
      if (reply.ok || isFinal(reply.refused)) this.#key = this.#newKey();
      this.state.set(() => ({ busy: false, refused: reply.ok ? null : reply.refused, done: reply.ok }));
      return reply;
    } catch (error) {
      // An exception is a bug, and the result of the write is unknown.
      this.state.set(() => NOTHING_SENT);
      throw error;
    }
  }

  /** Reports an edit of the form: the next write is another intent, and the last outcome no longer applies. */
  changed(): void {
    this.#key = this.#newKey();
    this.state.set((now) => (now.refused === null && !now.done ? now : { ...NOTHING_SENT, busy: now.busy }));
  }
}

/** Sends one write at a time, and holds the outcome of the last one; see `Intents`. Every write of the page uses it. */
export interface Intent extends IntentState, Pick<Intents, 'send' | 'changed'> {
  /** Sends a write to a route. Resolves to null after a refusal, or if another write has no answer yet. */
  call<const R extends RouteSpec>(route: R, input: CallInput<R>, intent?: string): Promise<CallData<R> | null>;
}

export function useIntent(): Intent {
  const { api } = useAsking();
  const [intents] = useState(() => new Intents());
  const state = useStore(intents.state, (now) => now);
  return useMemo(
    () => ({
      ...state,
      send: (call, intent) => intents.send(call, intent),
      call: async (route, input, intent) => {
        const reply = await intents.send((idempotencyKey) => api.call(route, { ...input, idempotencyKey }), intent);
        return reply?.ok === true ? reply.data : null;
      },
      changed: () => intents.changed(),
    }),
    [api, intents, state],
  );
}
