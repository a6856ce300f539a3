import type { RouteSpec } from '@hamlet/contract';
import type { Request } from 'express';
import type { Actor } from '../actor.ts';
import { authorize } from './authorize.ts';
import type { Exchange } from '../exchange.ts';
import { isSameOrigin } from './origin.ts';
import { refused } from '../outcome.ts';
import type { Refused } from '../outcome.ts';
import { rateHeaders } from './rate-limit.ts';
import type { RatePolicy } from './rate-limit.ts';

/** Limit by address, authenticate, limit by actor, authorize: who asks, or why not. */
export async function admit(exchange: Exchange): Promise<{ readonly ok: true; readonly actor: Actor } | Refused> {
  const { route, request, ports, listener } = exchange;
  const address = request.ip ?? '';
  const early = takeQuota(exchange, `address ${address}`, ports.addressPolicy) ?? refuseOtherOrigins(route, request);
  if (early !== null) return early;
  const actor: Actor | Refused = route.permission === 'anyone' ? { role: 'visitor', id: `visitor ${address}` } : await ports.authenticate(request, listener);
  if ('ok' in actor) return actor;
  const limited = actor.role === 'visitor' ? null : takeQuota(exchange, actor.id, ports.policyOf(actor));
  return limited ?? authorize(route, actor, request.params) ?? refuseStale(route, actor) ?? { ok: true, actor };
}

function takeQuota(exchange: Exchange, key: string, policy: RatePolicy): Refused | null {
  const { limiter, monotonicMs } = exchange.ports;
  const verdict = limiter.take(key, policy, monotonicMs());
  exchange.response.set(rateHeaders(verdict));
  if (verdict.allowed) return null;
  return { ...refused('rate_limited', `At most ${policy.quota} requests in ${policy.windowS} s; wait ${verdict.resetS} s`), retryAfterS: verdict.resetS };
}

/** A request that carries its own bearer token cannot be forged by another page; one that rides on a cookie can. */
function refuseOtherOrigins(route: RouteSpec, request: Request): Refused | null {
  const safe = route.method === 'GET' || request.get('authorization') !== undefined || isSameOrigin(request.headers);
  return safe ? null : refused('origin_not_allowed');
}

function refuseStale(route: RouteSpec, actor: Actor): Refused | null {
  return actor.role === 'agent' && actor.stale && route.reasons.includes('stale_cycle') ? refused('stale_cycle') : null;
}
