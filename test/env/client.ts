import { createClient, ProblemError, ROUTES } from '@hamlet/contract';
import type { CallData, CallInput, Client, ClientOptions, Problem, Refusal, RouteSpec } from '@hamlet/contract';
import type { z } from 'zod';

type Part<R, K extends 'params' | 'query' | 'body'> =
  R extends Readonly<Record<K, infer S>> ? (S extends z.ZodType ? z.input<S> : unknown) : unknown;
type Input<R> = Part<R, 'params'> & Part<R, 'query'> & Part<R, 'body'>;
type CallOptions = Pick<CallInput<RouteSpec>, 'idempotencyKey' | 'ifMatch' | 'signal'>;

/** Calls a route with the fields of its path, query and body in one object. Throws ProblemError for a refusal. */
type RouteCall<R> = (
  ...args: object extends Input<R>
    ? [input?: Input<R>, options?: CallOptions]
    : [input: Input<R>, options?: CallOptions]
) => Promise<R extends RouteSpec ? CallData<R> : never>;

/** A client with a function for each route. */
export type TestClient = Client & { readonly [R in (typeof ROUTES)[number] as R['name']]: RouteCall<R> };

export function testClient(options: ClientOptions): TestClient {
  const client = createClient(options);
  const calls = (ROUTES as readonly RouteSpec[]).map((route) => [
    route.name,
    async (input: object = {}, sent: CallOptions = {}): Promise<unknown> => {
      const outcome = await client.call(route, { ...partsOf(route, input), ...sent });
      if (!outcome.ok) throw new ProblemError(outcome.problem);
      return outcome.data;
    },
  ]);
  return { ...client, ...(Object.fromEntries(calls) as Omit<TestClient, keyof Client>) };
}

/** Fields that neither path nor query of the route have belong to its body, or to the query if it takes no body. */
function partsOf(route: RouteSpec, input: object): object {
  const [params, query, body]: Record<string, unknown>[] = [{}, {}, {}];
  for (const [name, value] of Object.entries(input)) {
    const isQuery = route.body === undefined || (route.query !== undefined && name in route.query.shape);
    const part = route.params !== undefined && name in route.params.shape ? params : isQuery ? query : body;
    if (part !== undefined) part[name] = value;
  }
  return { params, query, ...(route.body === undefined ? {} : { body }) };
}

/** The code of a refusal, by a function of a route or by `call`; null for an accepted request. */
export async function codeOf(call: Promise<unknown>): Promise<Refusal | null> {
  try {
    const answer = await call;
    return typeof answer === 'object' && answer !== null && 'problem' in answer
      ? (answer.problem as Problem).code
      : null;
  } catch (error) {
    if (error instanceof ProblemError) return error.problem.code;
    throw error;
  }
}
