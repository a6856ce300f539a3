import type { CallData, CallInput, RouteSpec } from '@hamlet/contract';
import {
  QueryCache,
  QueryClient,
  type QueryKey,
  type QueryObserverOptions,
  skipToken,
  useQuery,
} from '@tanstack/react-query';
import { createContext, useContext, useEffect, useRef } from 'react';
import type { Api, Refused, Reply } from '../api.ts';
import { type Answer, answerAfter, waitMs } from './answer.ts';

/**
 * The cache keeps an answer this long after its last component is gone: a person who returns to a page sees the answer
 * at once.
 */
const UNUSED_MS = 60_000;

/**
 * The cache of answers. Equal queries share a request, which is aborted when no component needs it. A hidden page sends
 * no requests.
 */
export function createQueries(): QueryClient {
  return new QueryClient({
    // The Api never throws: an exception here is a bug.
    queryCache: new QueryCache({
      onError: (error, { queryKey }) => console.error('a request threw', queryKey, error),
    }),
    defaultOptions: { queries: { retry: false, staleTime: 0, gcTime: UNUSED_MS, networkMode: 'always' } },
  });
}

/** The API, and the account that asks: the cache never shows one account the answers of another. */
export type Asking = Readonly<{ api: Api; queries: QueryClient; viewer: string | null }>;
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
  /** Requests the answer now. */
  again(): void;
}

/** The interval of requests in milliseconds: constant, or computed from the last answer. */
export type Pace<T> = number | ((answer: Pick<Answer<T>, 'data' | 'refused'>) => number);

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

/**
 * The answer of a route, kept up to date.
 * @param input null sends no request
 */
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
