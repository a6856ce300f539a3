import { roleMay, type RouteSpec } from '@hamlet/contract';
import type { Request } from 'express';
import type { Actor } from '../actor.ts';
import { isCustomRequest, isSameOrigin } from '../origin.ts';
import { refused, type Refused } from '../outcome.ts';
import { rateHeaders, refuseBeyondQuota, type RateVerdict } from '../rate-limit.ts';
import { sessionOf } from '../session-cookie.ts';
import { authorize } from './authorize.ts';
import type { Exchange } from './exchange.ts';

/** The actor of the exchange's credentials. A handler of completions verifies agents itself, unless `now` is given. */
export function authenticate(
  { route, request, ports, listener, address, handler }: Exchange,
  { now = false }: { readonly now?: boolean } = {},
): Promise<Actor | Refused> {
  const reads = route.idempotency === 'read';
  const isPublic = reads && roleMay('visitor', route.permission);
  const verifiedLater = handler.kind === 'completion' && !now;
  return ports.authenticate({ headers: request.headers, address, listener, reads, isPublic, verifiedLater });
}

function actorOf(exchange: Exchange): Promise<Actor | Refused> | Actor {
  const { route, address } = exchange;
  return route.permission === 'anyone' ? { role: 'visitor', id: `visitor ${address}` } : authenticate(exchange);
}

export interface Admitted {
  readonly ok: true;
  readonly actor: Actor;
  /** Waits for the count of the request and sets the headers of its quota. The refusal of a request beyond the quota, else null. */
  readonly limited: () => Promise<Refused | null>;
}

export async function admit(exchange: Exchange): Promise<Admitted | Refused> {
  const { route, request, ports, address } = exchange;
  const early = refuseOtherOrigins(route, request);
  if (early !== null) return early;
  const actor = await actorOf(exchange);
  if ('ok' in actor) return actor;
  if (actor.role === 'broker') ports.gate.giveBackRequest(address);
  return admitActor(exchange, actor);
}

/**
 * Redis counts a request to a model while its handler asks Postgres, which saves a trip before the first token: the handler waits for
 * the count. A request that is beyond the quota by the count of this replica alone, or comes while Redis does not answer, waits here.
 */
async function admitActor(exchange: Exchange, actor: Actor): Promise<Admitted | Refused> {
  const { route, request, ports } = exchange;
  const counted = actor.role === 'visitor' ? null : await ports.limitActor(actor, route);
  const limited = async () => (counted === null ? null : takeQuota(exchange, await counted.whole));
  const denied = authorize(route, actor, request.params) ?? refuseStale(route, actor);
  const isCountedLater = denied === null && counted?.here?.allowed === true && waitsForCount(exchange);
  return (isCountedLater ? null : await limited()) ?? denied ?? { ok: true, actor, limited };
}

/** True if the handler itself waits for the count, before it asks a model. */
const waitsForCount = ({ handler, route }: Exchange): boolean =>
  handler.kind === 'completion' && route.permission === 'models:use';

/** Null if the request is within its quota. The headers show the quota either way. */
export function takeQuota({ response }: Pick<Exchange, 'response'>, verdict: RateVerdict | null): Refused | null {
  if (verdict !== null)
    for (const [name, value] of Object.entries(rateHeaders(verdict))) response.setHeader(name, value);
  return refuseBeyondQuota(verdict);
}

/** A forged write can have a cookie, but no bearer token and no custom header. */
function refuseOtherOrigins(route: RouteSpec, request: Request): Refused | null {
  if (route.method === 'GET' || request.get('authorization') !== undefined) return null;
  if (!isSameOrigin(request.headers)) return refused('origin_not_allowed');
  if (sessionOf(request.headers.cookie) === null || isCustomRequest(request.headers)) return null;
  return refused('custom_header_missing', 'Send X-Hamlet-Request: 1');
}

function refuseStale(route: RouteSpec, actor: Actor): Refused | null {
  return actor.role === 'agent' && actor.stale && route.reasons.includes('stale_cycle') ? refused('stale_cycle') : null;
}
