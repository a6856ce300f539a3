import type { z } from 'zod';
import type { Refusal } from './errors.ts';
import { type Audience, type Permission, roleMay } from './permissions.ts';

export const API_PREFIX = '/api/v1';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

/**
 * Paths of a route: `versioned` is under /api/v1, `versioned_and_bare` also without that prefix, `absolute` only without it.
 */
export type Placement = 'versioned' | 'versioned_and_bare' | 'absolute';

/**
 * Why a repeated request does no harm. `key`: the Idempotency-Key header is required and the API stores the answer.
 * `natural`: the request itself names its effect, or its answer is a secret that must not be stored; the API ignores
 * the header. `read`: the request changes nothing.
 */
export type Idempotency = 'read' | 'key' | 'natural';

/**
 * The answer of a route. `json` is validated against its schema; an `sse` stream's data is validated per event name. `completion` is
 * JSON or, if the body asks for `stream`, OpenAI's unnamed events: one chunk each, then `[DONE]`.
 */
export type Answer =
  | { readonly kind: 'json'; readonly schema: z.ZodType }
  | { readonly kind: 'sse'; readonly events: Readonly<Record<string, z.ZodType>> }
  | { readonly kind: 'completion'; readonly schema: z.ZodType; readonly chunk: z.ZodType }
  | { readonly kind: 'text'; readonly contentType: string }
  | { readonly kind: 'bytes'; readonly contentType: string }
  | { readonly kind: 'redirect' };

/** Groups of routes with their titles, in the order of the documents. */
export const ROUTE_TAGS = {
  world: 'World',
  board: 'Board',
  agents: 'Agents',
  standing: 'Standing',
  runs: 'Runs',
  schedules: 'Schedules',
  resident: 'For residents',
  economy: 'Money',
  models: 'Language models',
  accounts: 'Accounts',
  log: 'Audit and sealed log',
  internal: 'For the operator',
  service: 'Service',
} as const;

/** One route: the source of its mount, client call, OpenAPI operation, permission row and reference line. */
export interface RouteSpec {
  /** The operation id and the client's method name. */
  readonly name: string;
  readonly summary: string;
  readonly tag: keyof typeof ROUTE_TAGS;
  readonly method: Method;
  /** OpenAPI style: `/agents/{agent_id}/move`. A last `{name*}` may hold slashes. */
  readonly path: `/${string}`;
  readonly placement: Placement;
  readonly audiences: readonly Audience[];
  readonly permission: Permission;
  readonly idempotency: Idempotency;
  /** Whether `If-Match` is honoured. */
  readonly ifMatch?: true;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The handler receives the bytes of the body, to verify a signature over them. */
  readonly rawBody?: true;
  /** HTTP status of success; 200 by default. */
  readonly status?: 200 | 201 | 202;
  readonly answer: Answer;
  /** Reasons of this route alone; `reasonsOf` adds the shared ones. */
  readonly reasons: readonly Refusal[];
}

type At = 'method' | 'path';
type Usual = 'placement' | 'audiences' | 'idempotency' | 'reasons';
/** A route without its method and path; fields with usual values are optional. */
type RouteRest = Omit<RouteSpec, At | Usual> & Partial<Pick<RouteSpec, Usual>>;

const USUAL = { placement: 'versioned_and_bare', audiences: ['people', 'agents'], reasons: [] } as const;

/** The route that `defineRoute` makes, with its literal types. */
export type Route<M extends Method, P extends string, R> = R &
  Omit<typeof USUAL & { readonly idempotency: M extends 'GET' ? 'read' : 'key' }, keyof R> & {
    readonly method: M;
    readonly path: P;
  };

/**
 * Defines a route at `METHOD /path`. Absent fields have their usual values: on both listeners, under /api/v1 and
 * without that prefix; a GET reads, any other method takes an Idempotency-Key; no reasons of its own.
 */
export function defineRoute<const M extends Method, const P extends `/${string}`, const R extends RouteRest>(
  at: `${M} ${P}`,
  rest: R,
): Route<M, P, R>;
export function defineRoute(at: string, rest: RouteRest): unknown {
  const path: RouteSpec['path'] = `/${at.slice(at.indexOf('/') + 1)}`;
  const method = METHODS.find((each) => at.startsWith(`${each} `)) ?? 'GET';
  const route: RouteSpec = { ...USUAL, idempotency: method === 'GET' ? 'read' : 'key', ...rest, method, path };
  return route;
}

/** An answer of validated JSON. */
export function json<S extends z.ZodType>(schema: S): { readonly kind: 'json'; readonly schema: S } {
  return { kind: 'json', schema };
}

/** Refusals of any call by an agent against which an admin has taken a measure. */
export const BARS = [
  'agent_killed',
  'agent_banned',
  'agent_quarantined',
  'agent_frozen',
  'token_revoked',
] as const satisfies readonly Refusal[];
export type Bar = (typeof BARS)[number];

/** Reasons that routes share, by group. */
export const SHARED_REASONS = {
  everyRoute: ['validation_failed', 'token_invalid', 'rate_limited', 'internal', 'unavailable'],
  guarded: ['unauthenticated', 'forbidden'],
  agents: BARS,
  people: ['account_banned'],
  writes: ['malformed_body', 'body_too_large', 'origin_not_allowed', 'custom_header_missing'],
  keyed: ['idempotency_key_missing', 'idempotency_in_flight', 'idempotency_key_reused'],
} as const satisfies Readonly<Record<string, readonly Refusal[]>>;

/** Every reason a route may refuse with: the shared ones and its own. */
export function reasonsOf(route: RouteSpec): readonly Refusal[] {
  const isGuarded = route.permission !== 'anyone';
  return [
    ...SHARED_REASONS.everyRoute,
    ...(isGuarded ? SHARED_REASONS.guarded : []),
    ...(isGuarded && roleMay('agent', route.permission) ? SHARED_REASONS.agents : []),
    ...(isGuarded && route.audiences.includes('people') ? SHARED_REASONS.people : []),
    ...(route.method === 'GET' ? [] : SHARED_REASONS.writes),
    ...(route.idempotency === 'key' ? SHARED_REASONS.keyed : []),
    ...route.reasons,
  ];
}

/** The paths a route answers on; callers use the first. */
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
