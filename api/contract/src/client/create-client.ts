import { z } from 'zod';
import { Problem } from '../http/errors.ts';
import { API_PREFIX, type RouteSpec } from '../http/route.ts';
import { readEventStream } from './event-stream.ts';

/** A newer API may add fields at several depths; each round finds the fields one level deeper. */
const ROUNDS_MAX = 8;

type Issue = z.core.$ZodIssue;
type Unknown = { readonly path: readonly PropertyKey[]; readonly keys: readonly string[] };

/**
 * Parses the answer of an API that may be newer than this client: removes unknown fields from `value` itself. Throws
 * ZodError for any other difference.
 */
export function parseAnswer<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const unknown = unknownOf(parsed.error.issues);
    if (unknown === null) throw parsed.error;
    for (const { path, keys } of unknown) drop(value, path, keys);
  }
  return schema.parse(value);
}

/** The unknown fields, or null if there are other issues. One matching option of a union suffices. */
function unknownOf(issues: readonly Issue[], base: readonly PropertyKey[] = []): readonly Unknown[] | null {
  const found: Unknown[] = [];
  for (const issue of issues) {
    const path = [...base, ...issue.path];
    if (issue.code === 'unrecognized_keys') found.push({ path, keys: issue.keys });
    else if (issue.code === 'invalid_union') {
      const option = issue.errors.map((errors) => unknownOf(errors, path)).find((unknown) => unknown !== null);
      if (option === undefined || option === null) return null;
      found.push(...option);
    } else return null;
  }
  return found.length === 0 ? null : found;
}

function drop(value: unknown, path: readonly PropertyKey[], keys: readonly string[]): void {
  const holder = path.reduce<unknown>((at, key) => (at as Readonly<Record<PropertyKey, unknown>>)[key], value);
  for (const key of keys) delete (holder as Record<string, unknown>)[key];
}

export interface ClientOptions {
  /** Origin of the API, without a path: `http://localhost:8080`. */
  readonly baseUrl: string;
  /** Absent in a browser, which sends its session cookie. */
  readonly token?: string | (() => string | Promise<string>);
  readonly cookie?: string;
  readonly fetch?: typeof fetch;
}

export type Outcome<T> =
  | { readonly ok: true; readonly data: T; readonly response: Response }
  | { readonly ok: false; readonly problem: Problem; readonly response: Response };

export interface Client {
  /** Throws if the connection is lost or the answer violates the contract; times out after 30 s without a `signal`. */
  call<const R extends RouteSpec>(route: R, input: CallInput<R>): Promise<Outcome<CallData<R>>>;
  /** Ends when the server ends the stream; throws ProblemError if the server refuses. */
  open<const R extends RouteSpec>(
    route: R,
    input: CallInput<R> & { readonly onBytes?: () => void },
  ): AsyncGenerator<StreamEvent<R>>;
}

/** A refusal as an exception, for functions that cannot return it as a value. */
export class ProblemError extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(`${problem.code}: ${problem.detail}`);
    this.problem = problem;
  }
}

/** The data of an answer. Throws ProblemError for a refusal. */
export async function dataOf<T>(answer: Promise<Outcome<T>>): Promise<T> {
  const outcome = await answer;
  if (!outcome.ok) throw new ProblemError(outcome.problem);
  return outcome.data;
}

const CALL_LIMIT_MS = 30_000;

type LooseInput = {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  idempotencyKey?: string;
  ifMatch?: string;
  signal?: AbortSignal;
};

/** `crypto.randomUUID` does not exist on a page without https, unless its host is localhost. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function urlOf(route: RouteSpec, input: { readonly params?: object; readonly query?: object }): string {
  const params = new Map(Object.entries(input.params ?? {}));
  const path = route.path
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params.get(name))))
    .replace(/\{(\w+)\*\}$/, (_, name: string) =>
      String(params.get(name)).split('/').map(encodeURIComponent).join('/'),
    );
  const query = new URLSearchParams(
    Object.entries(input.query ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString();
  return `${route.placement === 'absolute' ? '' : API_PREFIX}${path}${query === '' ? '' : `?${query}`}`;
}

async function headersOf(options: ClientOptions, route: RouteSpec, input: LooseInput): Promise<Headers> {
  const headers = new Headers();
  const token = typeof options.token === 'function' ? await options.token() : options.token;
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  if (options.cookie !== undefined) headers.set('cookie', options.cookie);
  // A link or form on another site cannot send this header, so the header shows that a script of the village's own
  // page sent the request.
  if (route.method !== 'GET') headers.set('x-hamlet-request', '1');
  if (route.idempotency === 'key') headers.set('idempotency-key', input.idempotencyKey ?? newIdempotencyKey());
  if (input.ifMatch !== undefined) headers.set('if-match', input.ifMatch);
  if (input.body !== undefined)
    headers.set('content-type', route.rawBody === true ? 'application/octet-stream' : 'application/json');
  return headers;
}

async function requestOf(options: ClientOptions, route: RouteSpec, input: LooseInput): Promise<Response> {
  const init: RequestInit = { method: route.method, headers: await headersOf(options, route, input) };
  if (input.body !== undefined)
    init.body = route.rawBody === true ? (input.body as Uint8Array<ArrayBuffer>) : JSON.stringify(input.body);
  if (input.signal !== undefined) init.signal = input.signal;
  return (options.fetch ?? fetch)(`${options.baseUrl.replace(/\/$/, '')}${urlOf(route, input)}`, init);
}

/** A newer API may refuse for a reason that this client does not know: its status and its words still count. */
const AnyProblem = Problem.extend({ code: z.string() });

async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text();
  try {
    return parseAnswer(AnyProblem, JSON.parse(text)) as Problem;
  } catch {
    throw new Error(`HTTP ${response.status} without a problem body: ${text.slice(0, 200)}`);
  }
}

async function* eventsOf(
  response: Response,
  events: Readonly<Record<string, z.ZodType>>,
  onBytes?: () => void,
): AsyncGenerator<unknown> {
  if (response.body === null) return;
  for await (const raw of readEventStream(response.body, onBytes)) {
    const schema = events[raw.event];
    // A newer server may send more kinds of event than this client knows.
    if (schema !== undefined) yield { event: raw.event, id: raw.id, data: parseAnswer(schema, JSON.parse(raw.data)) };
  }
}

async function readData({ answer }: RouteSpec, response: Response): Promise<unknown> {
  if ('schema' in answer) return parseAnswer(answer.schema, await response.json());
  return answer.kind === 'bytes' ? new Uint8Array(await response.arrayBuffer()) : response.text();
}

export function createClient(options: ClientOptions): Client {
  return {
    async call<const R extends RouteSpec>(route: R, input: CallInput<R>): Promise<Outcome<CallData<R>>> {
      const signal = input.signal ?? AbortSignal.timeout(CALL_LIMIT_MS);
      const response = await requestOf(options, route, { ...(input as LooseInput), signal });
      if (!response.ok) return { ok: false, problem: await problemOf(response), response };
      return { ok: true, data: (await readData(route, response)) as CallData<R>, response };
    },
    async *open<const R extends RouteSpec>(
      route: R,
      input: CallInput<R> & { readonly onBytes?: () => void },
    ): AsyncGenerator<StreamEvent<R>> {
      if (route.answer.kind !== 'sse') throw new TypeError(`${route.name} is not a stream`);
      const response = await requestOf(options, route, input as LooseInput);
      if (!response.ok) throw new ProblemError(await problemOf(response));
      for await (const event of eventsOf(response, route.answer.events, input.onBytes)) yield event as StreamEvent<R>;
    },
  };
}

type Part<R, K extends 'params' | 'query' | 'body'> =
  R extends Readonly<Record<K, infer S>> ? (S extends z.ZodType ? z.input<S> : never) : never;
type Field<K extends string, T> = [T] extends [never]
  ? unknown
  : object extends T
    ? { readonly [P in K]?: T }
    : { readonly [P in K]: T };

export type CallInput<R extends RouteSpec> = Field<'params', Part<R, 'params'>> &
  Field<'query', Part<R, 'query'>> &
  Field<'body', Part<R, 'body'>> & {
    /** Use the same key for all retries of one intent; by default each call has a new key. */
    readonly idempotencyKey?: string;
    /** Etag of the version to change; `precondition_failed` if the object has another version by now. */
    readonly ifMatch?: string;
    readonly signal?: AbortSignal;
  };

export type CallData<R extends RouteSpec> = R['answer'] extends {
  readonly kind: 'json' | 'completion';
  readonly schema: infer S extends z.ZodType;
}
  ? z.output<S>
  : R['answer'] extends { readonly kind: 'bytes' }
    ? Uint8Array
    : string;

/** `event` narrows the type of `data`. To resume after this event, send its `id` as `after`. */
export type StreamEvent<R extends RouteSpec> = R['answer'] extends { readonly kind: 'sse'; readonly events: infer E }
  ? {
      [K in keyof E & string]: {
        readonly event: K;
        readonly id: string | null;
        readonly data: E[K] extends z.ZodType ? z.output<E[K]> : never;
      };
    }[keyof E & string]
  : never;
