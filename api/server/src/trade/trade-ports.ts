import { randomUUID } from 'node:crypto';
import type { PriceList } from '@hamlet/contract';
import type { Circumstance } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import type { Actor } from '../http/actor.ts';
import type { Acting } from '../audit/record-act.ts';
import type { StandingKeeper } from '../standing/standing-keeper.ts';

/** What buying and selling works with. */
export interface TradePorts {
  readonly source: Pick<AgentSource, 'get' | 'entitlement'>;
  readonly standing: Pick<StandingKeeper, 'recompute'>;
  readonly prices: PriceList;
}

/** Who asks for something, and by which request. */
export interface Asked {
  readonly actor: Actor;
  readonly requestId: string;
  readonly traceparent: string;
}

/** An act of the village itself, under a request id of its own. */
export function actOfVillage(): Acting {
  return { actor: { role: 'system', id: 'auctioneer' }, requestId: randomUUID(), traceparent: null };
}

/** The very process that asks, as far as it is known. Pure. */
export function circumstanceOf({ actor, traceparent }: Asked): Circumstance {
  return { traceparent, podUid: actor.role === 'agent' ? actor.podUid : null };
}
