import { z } from 'zod';
import { AgentId } from '../values/scalars.ts';
import { CallId } from '../values/permission.ts';
import type { Refusal } from './errors.ts';
import { type Audience, type RoutePermission, roleMay } from './permissions.ts';

export const API_PREFIX = '/api/v1';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

/** `versioned` is under /api/v1, `absolute` is not, `versioned_and_bare` is both. */
export type Placement = 'versioned' | 'versioned_and_bare' | 'absolute';

/**
 * `key`: the API stores the answer under the Idempotency-Key. `natural`: a repeated request has no further effect, or its answer is secret.
 */
export type Idempotency = 'read' | 'key' | 'natural';

/**
 * An `sse` stream validates data by event name. `completion` is JSON, or a stream of OpenAI's unnamed events that ends
 * with `[DONE]`; with the `wire` of A2A, without that end; with another `wire`, a stream of events named by their
 * `type`.
 */
export type Answer =
  | { readonly kind: 'json'; readonly schema: z.ZodType }
  | { readonly kind: 'sse'; readonly events: Readonly<Record<string, z.ZodType>> }
  | {
      readonly kind: 'completion';
      readonly wire?: 'anthropic' | 'responses' | 'a2a';
      readonly schema: z.ZodType;
      readonly chunk: z.ZodType;
    }
  | { readonly kind: 'text'; readonly contentType: string }
  | { readonly kind: 'bytes'; readonly contentType: string }
  | { readonly kind: 'redirect' };

/** Tags in the order of the API documents. */
export const ROUTE_TAGS = {
  world: 'World',
  board: 'Board',
  agents: 'Agents',
  standing: 'Standing',
  runs: 'Runs',
  sessions: 'Sessions',
  schedules: 'Schedules',
  resident: 'For residents',
  economy: 'Money',
  models: 'Language models',
  accounts: 'Accounts',
  log: 'Audit and sealed log',
  internal: 'For the operator',
  broker: 'For the broker',
  service: 'Service',
} as const;

/** One route. Server, client, OpenAPI document, permission table and reference derive from it. */
export interface RouteSpec {
  /** The operation id. */
  readonly name: string;
  readonly summary: string;
  readonly tag: keyof typeof ROUTE_TAGS;
  readonly method: Method;
  /** OpenAPI style: `/agents/{agent_id}/move`. A final `{name*}` may contain slashes. */
  readonly path: `/${string}`;
  readonly placement: Placement;
  readonly audiences: readonly Audience[];
  readonly permission: RoutePermission;
  readonly idempotency: Idempotency;
  readonly ifMatch?: true;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Limit of the body in bytes; by default 256 KiB, or 32 KiB for a raw body. */
  readonly bodyMaxBytes?: number;
  /** The handler receives the bytes as they were sent. */
  readonly rawBody?: true;
  /** The agent's policy applies to its requests: see `judgeCall` in core. */
  readonly judged?: true;
  readonly status?: 200 | 201 | 202;
  readonly answer: Answer;
  /** Further statuses with the same type of answer, for protocols on top of HTTP. */
  readonly protocolStatuses?: readonly number[];
  /** Refusals specific to this route; `reasonsOf` adds the shared ones. */
  readonly reasons: readonly Refusal[];
}

type At = 'name' | 'method' | 'path';
type Usual = 'placement' | 'audiences' | 'idempotency' | 'reasons';
/** A route as written: fields with defaults are optional. */
type RouteRest = Omit<RouteSpec, At | Usual> & Partial<Pick<RouteSpec, Usual>>;

const USUAL = { placement: 'versioned_and_bare', audiences: ['people', 'agents'], reasons: [] } as const;

/** Schemas of path parameters that mean the same in every route. A route with any other parameter declares all its `params`. */
const PATH_PARAMS = {
  account_id: z.uuid(),
  agent_id: AgentId,
  artifact_id: z.uuid(),
  auction_id: z.uuid(),
  call_id: CallId,
  credit_id: z.uuid(),
  difference_id: z.uuid(),
  permission_id: z.uuid(),
  post_id: z.uuid(),
  record_id: z.uuid(),
  reply_id: z.uuid(),
  request_id: z.uuid(),
  rule_id: z.uuid(),
  run_id: z.uuid(),
  session_id: z.uuid(),
  identity_id: z.uuid(),
  browser_id: z.uuid(),
  key_id: z.uuid(),
} as const;
type PathParam = keyof typeof PATH_PARAMS;

type NamesIn<P extends string> = P extends `${string}{${infer N}}${infer Rest}` ? N | NamesIn<Rest> : never;
type ParamsOf<P extends string, R> = R extends { readonly params: z.ZodObject }
  ? unknown
  : [NamesIn<P>] extends [never]
    ? unknown
    : {
        readonly params: z.ZodObject<
          { readonly [N in NamesIn<P>]: N extends PathParam ? (typeof PATH_PARAMS)[N] : never },
          z.core.$strict
        >;
      };

export type Route<N extends string, M extends Method, P extends string, R> = R &
  ParamsOf<P, R> &
  Omit<typeof USUAL & { readonly idempotency: M extends 'GET' ? 'read' : 'key' }, keyof R> & {
    readonly name: N;
    readonly method: M;
    readonly path: P;
  };

function paramsIn(path: string): Pick<RouteSpec, 'params'> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));
  if (names.length === 0) return {};
  const table: Readonly<Record<string, z.ZodType | undefined>> = PATH_PARAMS;
  return { params: z.strictObject(Object.fromEntries(names.map((name) => [name, table[name] ?? z.never()]))) };
}

/**
 * Defines a route by operation id, method and path. USUAL and PATH_PARAMS fill absent fields. By default, any method
 * but GET takes an Idempotency-Key.
 */
export function defineRoute<
  const N extends string,
  const M extends Method,
  const P extends `/${string}`,
  const R extends RouteRest,
>(at: `${N} ${M} ${P}`, rest: R): Route<N, M, P, R>;
export function defineRoute(at: string, rest: RouteRest): unknown {
  const [name = '', verb, path = ''] = at.split(' ');
  const method = METHODS.find((each) => each === verb) ?? 'GET';
  const idempotency = method === 'GET' ? 'read' : 'key';
  return { ...USUAL, idempotency, ...paramsIn(path), ...rest, name, method, path };
}

export function json<S extends z.ZodType>(schema: S): { readonly kind: 'json'; readonly schema: S } {
  return { kind: 'json', schema };
}

/** Refusals of an agent's requests because of an admin's measure. */
export const BARS = [
  'agent_killed',
  'agent_banned',
  'agent_quarantined',
  'agent_frozen',
  'token_revoked',
] as const satisfies readonly Refusal[];
export type Bar = (typeof BARS)[number];

export const SHARED_REASONS = {
  everyRoute: ['validation_failed', 'token_invalid', 'rate_limited', 'internal', 'unavailable'],
  guarded: ['unauthenticated', 'forbidden'],
  agents: BARS,
  people: ['account_banned'],
  writes: ['malformed_body', 'body_too_large', 'origin_not_allowed', 'custom_header_missing'],
  judged: ['policy_denied'],
  keyed: ['idempotency_key_missing', 'idempotency_in_flight', 'idempotency_key_reused'],
} as const satisfies Readonly<Record<string, readonly Refusal[]>>;

export function reasonsOf(route: RouteSpec): readonly Refusal[] {
  const isGuarded = route.permission !== 'anyone';
  return [
    ...SHARED_REASONS.everyRoute,
    ...(isGuarded ? SHARED_REASONS.guarded : []),
    ...(isGuarded && roleMay('agent', route.permission) ? SHARED_REASONS.agents : []),
    ...(isGuarded && route.audiences.includes('people') ? SHARED_REASONS.people : []),
    ...(route.method === 'GET' ? [] : SHARED_REASONS.writes),
    ...(route.idempotency === 'key' ? SHARED_REASONS.keyed : []),
    ...(route.judged === true ? SHARED_REASONS.judged : []),
    ...route.reasons,
  ];
}

/** Callers use the first path. */
export function pathsOf(route: RouteSpec): readonly string[] {
  switch (route.placement) {
    case 'versioned':
      return [`${API_PREFIX}${route.path}`];
    case 'versioned_and_bare':
      return [`${API_PREFIX}${route.path}`, route.path];
    case 'absolute':
      return [route.path];
  }
}
