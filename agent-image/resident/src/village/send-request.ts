import { ProblemError } from '@hamlet/contract/resident';
import type { CallData, CallInput, Client, Outcome, Problem, RouteSpec } from '@hamlet/contract';
import type { TokenSource } from './agent-token.ts';
import type { Answer } from './village.ts';

const REQUEST_TIMEOUT_MS = 10_000;
/** A thinking model on one's own machine may need minutes; without an answer for longer, fetch ends the connection. */
const ANSWER_TIMEOUT_MS = 300_000;

export interface HttpVillageOptions {
  readonly client: Client;
  readonly tokens: TokenSource;
  readonly agentId: string;
  /** Aborts reads at once. */
  readonly stopReading: AbortSignal;
  /** Aborts writes, later than `stopReading`, so that a write in flight can finish. */
  readonly stopWriting: AbortSignal;
  /** By default 10 s, and 300 s for the answer of a model. */
  readonly timeouts?: { readonly requestMs: number; readonly answerMs: number };
}

const NEVER = new AbortController().signal;

/** `until` aborts this request alone. */
type Send = <const R extends RouteSpec>(
  route: R,
  input: CallInput<R>,
  until?: AbortSignal,
) => Promise<Answer<CallData<R>>>;

/** Sends requests: `read` and `write` differ in the signal that aborts them. `ask` waits for the answer of a model. */
export interface Requests {
  readonly agentId: string;
  readonly params: { readonly agent_id: string };
  readonly read: Send;
  readonly write: Send;
  readonly ask: Send;
}

/** Sends one agent's requests. The only retry is one with a new token after 401; the caller decides about others. */
export function requestsOf({
  client,
  tokens,
  agentId,
  stopReading,
  stopWriting,
  timeouts,
}: HttpVillageOptions): Requests {
  const { requestMs, answerMs } = timeouts ?? { requestMs: REQUEST_TIMEOUT_MS, answerMs: ANSWER_TIMEOUT_MS };
  const send =
    (stop: AbortSignal, limitMs: number): Send =>
    (route, input, until = NEVER) =>
      answerOf(() => {
        const signal = AbortSignal.any([stop, AbortSignal.timeout(limitMs), until]);
        return client.call(route, { ...input, signal });
      }, tokens);
  return {
    agentId,
    params: { agent_id: agentId },
    read: send(stopReading, requestMs),
    write: send(stopWriting, requestMs),
    ask: send(stopReading, answerMs),
  };
}

async function answerOf<T>(call: () => Promise<Outcome<T>>, tokens: TokenSource): Promise<Answer<T>> {
  const toAnswer = (outcome: Outcome<T>): Answer<T> =>
    outcome.ok ? { kind: 'ok', value: outcome.data } : refusalOf(outcome.problem);
  try {
    const first = await call();
    if (first.ok || first.problem.status !== 401) return toAnswer(first);
    tokens.renew();
    return toAnswer(await call());
  } catch (error) {
    return failureOf(error, tokens);
  }
}

export function mapped<A, B>(answer: Answer<A>, of: (value: A) => B): Answer<B> {
  return answer.kind === 'ok' ? { kind: 'ok', value: of(answer.value) } : answer;
}

/** An exception as an answer: a refused token exchange or stream, a lost connection, or a response that violates the contract. */
export function failureOf(error: unknown, tokens: TokenSource): Answer<never> {
  if (!(error instanceof ProblemError)) return { kind: 'unreachable', why: describe(error) };
  if (error.problem.status === 401) tokens.renew();
  return refusalOf(error.problem);
}

/** Refusals that a repeated request may avoid: the rate limit, and a pending request with the same key. */
const PASSING: ReadonlySet<string> = new Set(['rate_limited', 'idempotency_in_flight']);

/** A failure of the API counts as unreachable, not as a refusal. */
function refusalOf({ code, detail, status }: Problem): Answer<never> {
  if (code === 'stale_cycle') return { kind: 'stale' };
  if (status >= 500 || PASSING.has(code) || status === 401) return { kind: 'unreachable', why: `${code}: ${detail}` };
  return { kind: 'refused', code, detail };
}

/** The cause of a failed fetch is more specific than its message. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
