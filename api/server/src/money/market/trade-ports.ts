import type { PriceList } from '@hamlet/contract';
import type { Circumstance } from '@hamlet/store';
import type { AgentSource } from '../../agents/agent-source.ts';
import type { Caller } from '../../http/handler.ts';
import type { BalanceTiers } from '../../standing/balance-tier-sync.ts';

export interface TradePorts {
  readonly source: Pick<AgentSource, 'get' | 'entitlement'>;
  readonly tiers: BalanceTiers;
  readonly prices: PriceList;
}

/** The caller's trace, and its pod if it is an agent. Pure. */
export function circumstanceOf({ actor, traceparent }: Caller): Circumstance {
  return { traceparent, podUid: actor.role === 'agent' ? actor.podUid : null };
}
