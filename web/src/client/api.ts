import type { CallData, CallInput, Client, Problem, RouteSpec, StreamEvent } from '@hamlet/contract';
import { createClient, ProblemError } from '@hamlet/contract';

/** A refused or failed request, in words. `code` is a code of the contract, or `unreachable` if no answer came. */
export interface Refused {
  readonly code: Problem['code'] | 'unreachable';
  readonly title: string;
  readonly detail: string;
  readonly status: number;
  /** The parts of the request that are wrong, if the API names them. */
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}
export type Reply<T> = { readonly ok: true; readonly data: T } | { readonly ok: false; readonly refused: Refused };

/** The API of this village. It never throws: a lost connection is a refusal too. `signal` in the input aborts a request. */
export interface Api {
  call<const R extends RouteSpec>(route: R, input: CallInput<R>): Promise<Reply<CallData<R>>>;
  /** The reply is ok if the server or the caller ended the stream. `onBytes` receives heartbeats too. */
  open<const R extends RouteSpec>(
    route: R,
    input: CallInput<R> & { readonly onBytes?: () => void },
    onEvent: (event: StreamEvent<R>) => void,
  ): Promise<Reply<null>>;
}

export type Caller = Pick<Api, 'call'>;

/** Timeout of one call. The API answers sooner, so only a dead connection reaches it. */
const CALL_TIMEOUT_MS = 30_000;
/** A stream counts as dead after this time without a byte: the server sends a heartbeat every 5 s. */
const STREAM_SILENCE_MS = 20_000;

export interface ApiOptions {
  readonly client?: Client;
  readonly timeoutMs?: number;
  readonly silenceMs?: number;
  readonly onRefused?: (route: RouteSpec, refused: Refused) => void;
  /** Receives the end of every call that its caller did not abort, with the time at which it began, in Unix milliseconds. */
  readonly onEnd?: (isAnswered: boolean, beganMs: number) => void;
}

/** Sends requests to the origin that served the page; the browser adds the session cookie. */
export function createApi({
  client = createClient({ baseUrl: window.location.origin, fetch: (...request) => window.fetch(...request) }),
  timeoutMs = CALL_TIMEOUT_MS,
  silenceMs = STREAM_SILENCE_MS,
  onRefused,
  onEnd,
}: ApiOptions = {}): Api {
  const refusal = (route: RouteSpec, { code, title, detail, status, errors = [] }: Problem): Reply<never> => {
    const refused = { code, title, detail, status, errors };
    onRefused?.(route, refused);
    return { ok: false, refused };
  };
  return {
    async call(route, input) {
      const timeout = AbortSignal.timeout(timeoutMs);
      const beganMs = Date.now();
      try {
        const outcome = await client.call(route, { ...input, signal: joined(input.signal, timeout) });
        onEnd?.(true, beganMs);
        return outcome.ok ? { ok: true, data: outcome.data } : refusal(route, outcome.problem);
      } catch (error) {
        if (input.signal?.aborted !== true) {
          console.error(`${route.name} failed`, error);
          onEnd?.(false, beganMs);
        }
        return unreachable(
          timeout.aborted
            ? `No answer came within ${timeoutMs / 1000} s. Try again.`
            : 'The connection was lost, or the answer could not be read. Try again.',
        );
      }
    },
    async open(route, input, onEvent) {
      const silent = new AbortController();
      const wait = (): ReturnType<typeof setTimeout> => setTimeout(() => silent.abort(), silenceMs);
      let timer = wait();
      const onBytes = (): void => {
        clearTimeout(timer);
        timer = wait();
        input.onBytes?.();
      };
      try {
        const events = client.open(route, { ...input, signal: joined(input.signal, silent.signal), onBytes });
        for await (const event of events) onEvent(event);
        return { ok: true, data: null };
      } catch (error) {
        if (error instanceof ProblemError) return refusal(route, error.problem);
        if (input.signal?.aborted === true) return { ok: true, data: null };
        console.error(`${route.name} failed`, error);
        return unreachable(
          silent.signal.aborted
            ? `The stream was silent for ${silenceMs / 1000} s.`
            : 'The stream was lost, or could not be read.',
        );
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

function joined(own: AbortSignal | undefined, limit: AbortSignal): AbortSignal {
  return own === undefined ? limit : AbortSignal.any([own, limit]);
}

/** The title and the detail of a refusal; the API repeats the title as the detail of a refusal without one. */
export function refusalText({ title, detail }: Pick<Refused, 'title' | 'detail'>): string {
  return title === detail ? `${title}.` : `${title}. ${detail}`;
}

function unreachable(detail: string): Reply<never> {
  return {
    ok: false,
    refused: { code: 'unreachable', title: 'The village does not answer', detail, status: 0, errors: [] },
  };
}
