import type { RouteSpec } from '@hamlet/contract';
import type { Actor } from '../http/actor.ts';
import { rateVerdict } from '../http/admission/rate-limit.ts';
import type { RateLimiter, RatePolicy, RateVerdict } from '../http/admission/rate-limit.ts';
import type { AgentLimits } from './agent-limits.ts';
import type { SharedWindows } from './shared-windows.ts';

/** Counts one request of somebody who has said who it is. Null where it must be counted by all replicas together and cannot be. */
export type ActorLimiter = (
  actor: Actor,
  route: Pick<RouteSpec, 'tag' | 'method' | 'permission'>,
) => Promise<RateVerdict | null>;

export interface ActorLimiterPorts {
  readonly windows: Pick<SharedWindows, 'count'>;
  readonly local: RateLimiter;
  readonly limits: Pick<AgentLimits, 'of'>;
  /** Requests a minute of a person, and of the operator. */
  readonly requestsPerMinute: number;
  readonly monotonicMs: () => number;
}

const WINDOW_S = 60;
/** An agent that has no tier yet asks who it is, and little else. */
const WITHOUT_TIER: RatePolicy = { name: 'no tier', quota: 60, windowS: WINDOW_S };
/** Areas where something is spent. */
const MONEY: ReadonlySet<string> = new Set(['economy', 'payments', 'trade', 'auctions']);

/** Whether a route is refused rather than counted by one replica alone: where money moves or a model is asked. Pure. */
export function failsClosed({ tag, method, permission }: Pick<RouteSpec, 'tag' | 'method' | 'permission'>): boolean {
  return permission === 'models:use' || (MONEY.has(tag) && method !== 'GET');
}

/**
 * Agents are counted by all replicas together, by what their tier and purchases allow, and so is everybody where money moves. While Redis is away
 * that is refused, and everything else goes on by what this replica has counted: the map and the board stay readable.
 */
export function createActorLimiter(ports: ActorLimiterPorts): ActorLimiter {
  const { windows, local, limits, requestsPerMinute, monotonicMs } = ports;
  const ofPeople: RatePolicy = { name: 'actor', quota: requestsPerMinute, windowS: WINDOW_S };

  async function policyOf(actor: Actor): Promise<RatePolicy> {
    if (actor.role !== 'agent') return ofPeople;
    const allowance = await limits.of(actor.agentId);
    return allowance === null
      ? WITHOUT_TIER
      : { name: allowance.tier, quota: allowance.limits.requests_per_minute ?? 0, windowS: WINDOW_S };
  }

  return async (actor, route) => {
    const policy = await policyOf(actor);
    const here = local.take(actor.id, policy, monotonicMs());
    const closed = failsClosed(route);
    if (actor.role !== 'agent' && !closed) return here;
    const counted = await windows.count(actor.id, policy.windowS * 1_000, closed ? 'long' : 'short');
    if (counted !== null) return rateVerdict(policy, counted.count, counted.endsInMs);
    return closed ? null : here;
  };
}
