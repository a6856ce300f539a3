import type { z } from 'zod';
import type { Refusal } from './errors.ts';
import { roleMay } from './permissions.ts';
import type { Audience, Permission } from './permissions.ts';

export const API_PREFIX = '/api/v1';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Where a route answers: `versioned` under /api/v1, `versioned_and_bare` there and on its bare path too, `absolute` on its bare path alone.
 */
export type Placement = 'versioned' | 'versioned_and_bare' | 'absolute';

/**
 * What makes repeating a write harmless. `key`: the Idempotency-Key header is required and the answer is kept.
 * `natural`: the request names its own effect, or its answer is a secret that must not be kept; no key is read. `read`: nothing is written.
 */
export type Idempotency = 'read' | 'key' | 'natural';

/**
 * What a route answers with. `json` is validated against its schema; an `sse` stream's data is validated per event name.
 * `completion` is JSON, or, where the body says `stream`, events without a name that are each a chunk, ended by `[DONE]`, as OpenAI's.
 */
export type Answer =
  | { readonly kind: 'json'; readonly schema: z.ZodType }
  | { readonly kind: 'sse'; readonly events: Readonly<Record<string, z.ZodType>> }
  | { readonly kind: 'completion'; readonly schema: z.ZodType; readonly chunk: z.ZodType }
  | { readonly kind: 'text'; readonly contentType: string }
  | { readonly kind: 'bytes'; readonly contentType: string }
  | { readonly kind: 'redirect' };

/** One route, as one value: everything that mount, client, OpenAPI, permission matrix and docs are made from. */
export interface RouteSpec {
  /** The operation id and the client's method name. */
  readonly name: string;
  readonly summary: string;
  readonly tag:
    | 'world'
    | 'board'
    | 'agents'
    | 'standing'
    | 'runs'
    | 'schedules'
    | 'economy'
    | 'models'
    | 'resident'
    | 'accounts'
    | 'log'
    | 'internal'
    | 'service';
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
  /** The body as its bytes, whatever its type: for who signs bytes. */
  readonly rawBody?: true;
  /** HTTP status of success; 200 unless said. */
  readonly status?: 200 | 201 | 202;
  readonly answer: Answer;
  /** The reasons of this route's own; `reasonsOf` adds those every route shares. */
  readonly reasons: readonly Refusal[];
}

/** Keeps a route's literal types while it holds it to RouteSpec. */
export function defineRoute<const R extends RouteSpec>(route: R): R {
  return route;
}

const OF_EVERY_ROUTE: readonly Refusal[] = [
  'validation_failed',
  'token_invalid',
  'rate_limited',
  'internal',
  'unavailable',
];
const OF_GUARDED_ROUTES: readonly Refusal[] = ['unauthenticated', 'forbidden'];
/** Told to an agent on whatever it may call, while an admin holds something against it. */
export const BARS = [
  'agent_killed',
  'agent_banned',
  'agent_quarantined',
  'agent_frozen',
  'token_revoked',
] as const satisfies readonly Refusal[];
export type Bar = (typeof BARS)[number];
/** Told to a person on whatever they may call, while an admin bans them. */
const OF_PEOPLES_ROUTES: readonly Refusal[] = ['account_banned'];
const OF_BODIES: readonly Refusal[] = [
  'malformed_body',
  'body_too_large',
  'origin_not_allowed',
  'custom_header_missing',
];
const OF_KEYED_WRITES: readonly Refusal[] = [
  'idempotency_key_missing',
  'idempotency_in_flight',
  'idempotency_key_reused',
];

/** Every reason a route may refuse with: its own and those of its kind. */
export function reasonsOf(route: RouteSpec): readonly Refusal[] {
  return [
    ...OF_EVERY_ROUTE,
    ...(route.permission === 'anyone' ? [] : OF_GUARDED_ROUTES),
    ...(route.permission !== 'anyone' && roleMay('agent', route.permission) ? BARS : []),
    ...(route.permission !== 'anyone' && route.audiences.includes('people') ? OF_PEOPLES_ROUTES : []),
    ...(route.method === 'GET' ? [] : OF_BODIES),
    ...(route.idempotency === 'key' ? OF_KEYED_WRITES : []),
    ...route.reasons,
  ];
}

/** The paths a route answers on, first the one to use. */
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
