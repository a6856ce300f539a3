import { roleMay, type RouteSpec } from '@hamlet/contract';
import type { Request } from 'express';
import type { Actor } from '../actor.ts';
import { isCustomRequest, isSameOrigin } from '../origin.ts';
import { refused, type Refused } from '../outcome.ts';
import { rateHeaders, refusalOfVerdict, type RateVerdict } from '../rate-limit.ts';
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

export async function admit(exchange: Exchange): Promise<{ readonly ok: true; readonly actor: Actor } | Refused> {
  const { route, request, ports, address } = exchange;
  const early = refuseOtherOrigins(route, request);
  if (early !== null) return early;
  const actor: Actor | Refused =
    route.permission === 'anyone' ? { role: 'visitor', id: `visitor ${address}` } : await authenticate(exchange);
  if ('ok' in actor) return actor;
  if (actor.role === 'broker') ports.gate.giveBackRequest(address);
  const limited = actor.role === 'visitor' ? null : takeQuota(exchange, await ports.limitActor(actor, route));
  return limited ?? authorize(route, actor, request.params) ?? refuseStale(route, actor) ?? { ok: true, actor };
}

/** Null if the request is within its quota. The headers show the quota either way. */
export function takeQuota({ response }: Pick<Exchange, 'response'>, verdict: RateVerdict | null): Refused | null {
  if (verdict === null) return refused('unavailable', 'Redis must count this request but is unreachable; try again');
  for (const [name, value] of Object.entries(rateHeaders(verdict))) response.setHeader(name, value);
  return verdict.allowed ? null : refusalOfVerdict(verdict);
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
