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

/** Answers that no component shows are kept this long: going back to a page shows it at once. */
const UNUSED_MS = 60_000;

/**
 * The cache of answers. Components with the same query share one request; it is aborted when the last of them is removed. A hidden page
 * sends no requests.
 */
export function createQueries(): QueryClient {
  return new QueryClient({
    // The api port never throws: an error here is a bug.
    queryCache: new QueryCache({
      onError: (error, { queryKey }) => console.error('a question failed', queryKey, error),
    }),
    defaultOptions: { queries: { retry: false, staleTime: 0, gcTime: UNUSED_MS, networkMode: 'always' } },
  });
}

/** Where questions are asked, and by whom: another viewer never sees the answers that this one got. */
export interface Asking {
  readonly api: Api;
  readonly queries: QueryClient;
  readonly viewer: string | null;
}
const Context = createContext<Asking | null>(null);
export const AskingProvider = Context.Provider;

export function useAsking(): Asking {
  const asking = useContext(Context);
  if (asking === null) throw new Error('AskingProvider is missing');
  return asking;
}

/** An answer that is kept up to date. After a failure the last good one stays, beside the refusal. */
export interface Live<T> {
  readonly data: T | null;
  readonly refused: Refused | null;
  /** Asks at once. */
  again(): void;
}

/** How often to ask: the same always, or by the last answer. */
export type Pace<T> = number | ((answer: Pick<Answer<T>, 'data' | 'refused'>) => number);

interface Question<T> {
  readonly key: QueryKey;
  /** Null asks nothing. `latest` is the data known at the moment of the call. */
  readonly read: ((signal: AbortSignal, latest: () => T | null) => Promise<Reply<T>>) | null;
  readonly everyMs: Pace<T>;
  /** Changes when the answer may have: it is then asked at once, and the last one stays meanwhile. */
  readonly version?: number | string | undefined;
}

/** A question as TanStack Query asks it. An answer holds refusals too, so that rows stay while it fails. */
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

/**
 * Asks now and again after each answer while a component shows it and the page is visible; more slowly while it is refused.
 * `useLive` and `usePages` are built on it; components use those where one route is the question.
 */
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

/** The answer of a route, kept up to date. @param input null asks nothing */
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
