import assert from 'node:assert/strict';
import { createClient, ProblemError, ROUTES } from '@hamlet/contract';
import type {
  CallData,
  CallInput,
  Client,
  ClientOptions,
  Outcome,
  Problem,
  Refusal,
  RouteSpec,
  StreamEvent,
} from '@hamlet/contract';
import type { z } from 'zod';

type Part<R, K extends 'params' | 'query' | 'body'> =
  R extends Readonly<Record<K, infer S>> ? (S extends z.ZodType ? z.input<S> : unknown) : unknown;
type Input<R> = Part<R, 'params'> & Part<R, 'query'> & Part<R, 'body'>;
type CallOptions = Pick<CallInput<RouteSpec>, 'idempotencyKey' | 'ifMatch' | 'signal'> & {
  readonly onBytes?: () => void;
};

type Args<R> =
  object extends Input<R> ? [input?: Input<R>, options?: CallOptions] : [input: Input<R>, options?: CallOptions];
type Data<R> = R extends RouteSpec ? CallData<R> : never;
type IsStream<R> = R extends { readonly answer: { readonly kind: 'sse' } } ? true : false;
type Events<R> = AsyncGenerator<R extends RouteSpec ? StreamEvent<R> : never>;
type Named = (typeof ROUTES)[number];

/** A client with a function for each route, which takes the fields of path, query and body in one object. */
export type TestClient = Client & {
  /** Throws ProblemError for a refusal. */
  readonly [R in Named as R['name']]: (...args: Args<R>) => IsStream<R> extends true ? Events<R> : Promise<Data<R>>;
} & {
  /** The same functions, which return a refusal as a value. */
  readonly raw: { readonly [R in Named as R['name']]: (...args: Args<R>) => Promise<Outcome<Data<R>>> };
};

export function testClient(options: ClientOptions): TestClient {
  const client = createClient(options);
  const calls: Record<string, unknown> = {};
  const raw: Record<string, unknown> = {};
  for (const route of ROUTES as readonly RouteSpec[]) {
    const call = (input: object = {}, sent: CallOptions = {}): Promise<Outcome<unknown>> =>
      client.call(route, { ...partsOf(route, input), ...sent });
    raw[route.name] = call;
    calls[route.name] =
      route.answer.kind === 'sse'
        ? (input: object = {}, sent: CallOptions = {}) => client.open(route, { ...partsOf(route, input), ...sent })
        : async (...args: Parameters<typeof call>) => dataOf(await call(...args));
  }
  return { ...client, ...calls, raw } as unknown as TestClient;
}

/** The data of an answer. Throws ProblemError for a refusal. */
export function dataOf<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.data;
  throw new ProblemError(outcome.problem);
}

/** Fields that are in neither path nor query of the route go to its body, or to the query if it has no body. */
function partsOf(route: RouteSpec, input: object): object {
  const [params, query, body]: Record<string, unknown>[] = [{}, {}, {}];
  for (const [name, value] of Object.entries(input)) {
    const isQuery = route.body === undefined || (route.query !== undefined && name in route.query.shape);
    const part = route.params !== undefined && name in route.params.shape ? params : isQuery ? query : body;
    if (part !== undefined) part[name] = value;
  }
  return { params, query, ...(route.body === undefined ? {} : { body }) };
}

/** The code of a refusal; null for an accepted request. */
export function refusalOf(outcome: Outcome<unknown>): Refusal | null {
  return outcome.ok ? null : outcome.problem.code;
}

/** Waits for a call; returns its refusal, thrown or returned, or null if it was accepted. */
async function problemOf(call: Promise<unknown>): Promise<Problem | null> {
  try {
    const answer = await call;
    return typeof answer === 'object' && answer !== null && 'problem' in answer ? (answer.problem as Problem) : null;
  } catch (error) {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  }
}

export const codeOf = async (call: Promise<unknown>): Promise<Refusal | null> => (await problemOf(call))?.code ?? null;

/** Asserts that a call is refused with this code, and with a detail that matches `about` if that is an expression. */
export async function refuses(call: Promise<unknown>, code: Refusal, about: string | RegExp = ''): Promise<void> {
  const problem = await problemOf(call);
  assert.ok(problem?.code === code, `${problem?.code ?? 'accepted'} instead of ${code} ${about}`);
  if (about instanceof RegExp) assert.match(problem.detail, about);
}

/** A stream with its events so far. */
export interface Followed<T> {
  readonly events: readonly T[];
  /** Settles when the stream ends. */
  readonly ended: Promise<void>;
  stop(): void;
}

/** Reads a stream until it ends or the test stops it. */
export function follow<T>(open: (signal: AbortSignal) => AsyncIterable<T>): Followed<T> {
  const stopping = new AbortController();
  const events: T[] = [];
  const ended = (async () => {
    for await (const event of open(stopping.signal)) events.push(event);
  })();
  ended.catch(() => undefined);
  return { events, ended, stop: () => stopping.abort() };
}
