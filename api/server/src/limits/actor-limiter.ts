import type { RouteSpec } from '@hamlet/contract';
import type { Actor } from '../http/actor.ts';
import { rateVerdict, type RateLimiter, type RatePolicy, type RateVerdict } from '../http/rate-limit.ts';
import type { CountedRequest, LimitActor } from '../http/pipeline/exchange.ts';
import type { AgentLimits } from './agent-limits.ts';
import type { Counted, SharedWindows } from './shared-windows.ts';

interface ActorLimiterPorts {
  readonly windows: Pick<SharedWindows, 'count' | 'answers'>;
  readonly local: RateLimiter;
  readonly limits: Pick<AgentLimits, 'of'>;
  readonly requestsPerMinute: number;
  readonly monotonicMs: () => number;
}

const WINDOW_S = 60;
/** Quota of the broker, which asks for all agents and reports each of their attempts. */
const OF_BROKER: RatePolicy = { name: 'broker', quota: 600_000, windowS: WINDOW_S };
/** The quota of an agent without a tier: enough to read its own configuration. */
const WITHOUT_TIER: RatePolicy = { name: 'no tier', quota: 60, windowS: WINDOW_S };
/**
 * A separate quota for routes by which an agent renews and ends its runs, so that an agent at its limit loses no lease.
 * Each run and worker renews its lease a few times a minute.
 */
const OF_LEASES: RatePolicy = { name: 'leases', quota: 240, windowS: WINDOW_S };
const LEASE_ROUTES: ReadonlySet<string> = new Set(['renewRun', 'settleRun']);
const MONEY: ReadonlySet<string> = new Set(['economy', 'payments', 'trade', 'auctions']);

/** True for routes that the API refuses without Redis, because one replica cannot count for all. Pure. */
export function failsClosed({ tag, method, permission }: Pick<RouteSpec, 'tag' | 'method' | 'permission'>): boolean {
  return permission === 'models:use' || (MONEY.has(tag) && method !== 'GET');
}

/**
 * All replicas together count the requests of agents, by tier and purchases, and every request that moves money. Each
 * replica alone counts requests about leases. Without Redis the API refuses requests that move money or call a model,
 * and counts the others on this replica, so that the map and the board can be read.
 */
export function createActorLimiter(ports: ActorLimiterPorts): LimitActor {
  const { windows, local, limits, requestsPerMinute, monotonicMs } = ports;
  const ofPeople: RatePolicy = { name: 'actor', quota: requestsPerMinute, windowS: WINDOW_S };

  async function policyOf(actor: Actor): Promise<RatePolicy> {
    if (actor.role === 'broker') return OF_BROKER;
    if (actor.role !== 'agent') return ofPeople;
    const allowance = await limits.of(actor.agentId);
    return allowance === null
      ? WITHOUT_TIER
      : { name: allowance.tier, quota: allowance.limits.requests_per_minute ?? 0, windowS: WINDOW_S };
  }

  const byReplica = (here: RateVerdict): CountedRequest => ({ here, whole: Promise.resolve(here) });

  return async (actor, route) => {
    if (actor.role === 'agent' && LEASE_ROUTES.has(route.name))
      return byReplica(local.take(`${actor.id} leases`, OF_LEASES, monotonicMs()));
    const closed = failsClosed(route);
    const isShared = actor.role === 'agent' || closed;
    // Counts in Redis in parallel with `policyOf`, which may read Postgres.
    const counting = isShared ? windows.count(actor.id, WINDOW_S * 1_000, closed ? 'long' : 'short') : null;
    const policy = await policyOf(actor);
    const here = local.take(actor.id, policy, monotonicMs());
    if (counting === null) return byReplica(here);
    const verdictOf = (counted: Counted | null): RateVerdict | null => {
      if (counted !== null) return rateVerdict(policy, counted.count, counted.endsInMs);
      return closed ? null : here;
    };
    return { here: closed && !windows.answers ? null : here, whole: counting.then(verdictOf) };
  };
}
