import {
  createClient,
  type CallData,
  type CallInput,
  type Client,
  type Problem,
  type RouteSpec,
} from '@hamlet/contract';

/** A refusal in words. `code` is the contract's, or `unreachable` where no answer came. */
export interface Refused {
  readonly code: Problem['code'] | 'unreachable';
  readonly title: string;
  readonly detail: string;
  readonly status: number;
  /** Which parts of what was sent are wrong, where the answer says. */
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}
export type Reply<T> = { readonly ok: true; readonly data: T } | { readonly ok: false; readonly refused: Refused };

/** The api of this village. Never throws: a lost connection is a refusal too. */
export interface Api {
  call<const R extends RouteSpec>(route: R, input: CallInput<R>): Promise<Reply<CallData<R>>>;
}

/** The longest that one call may take. The api itself gives up sooner; this is for a connection that is dead without saying so. */
export const CALL_TIMEOUT_MS = 30_000;

export interface ApiOptions {
  readonly client?: Client;
  readonly timeoutMs?: number;
  /** Hears every refusal, before the caller does. */
  readonly onRefused?: (route: RouteSpec, refused: Refused) => void;
}

/** Talks to the origin that served the page; the session cookie goes along by itself. */
export function createApi({
  client = createClient({ baseUrl: window.location.origin, fetch: (...request) => window.fetch(...request) }),
  timeoutMs = CALL_TIMEOUT_MS,
  onRefused,
}: ApiOptions = {}): Api {
  return {
    async call(route, input) {
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        const outcome = await client.call(route, {
          ...input,
          signal: input.signal === undefined ? timeout : AbortSignal.any([input.signal, timeout]),
        });
        if (outcome.ok) return { ok: true, data: outcome.data };
        const { code, title, detail, status, errors = [] } = outcome.problem;
        const refused = { code, title, detail, status, errors };
        onRefused?.(route, refused);
        return { ok: false, refused };
      } catch (error) {
        if (input.signal?.aborted !== true) console.error(`${route.name} failed`, error);
        const detail = timeout.aborted
          ? `No answer came within ${timeoutMs / 1000} s. Try again.`
          : 'The connection was lost, or the answer could not be read. Try again.';
        return {
          ok: false,
          refused: { code: 'unreachable', title: 'The village does not answer', detail, status: 0, errors: [] },
        };
      }
    },
  };
}
