import { parseAiDollars } from '@hamlet/contract';
import type { PricedTier } from '@hamlet/core';
import type { AgentSource } from '../agents/agent-source.ts';

/** The Entitlements as a purse sees them: what an hour of each costs, in micro-aiDollars. */
export function pricedTiers(source: Pick<AgentSource, 'entitlements'>): readonly PricedTier[] {
  return source
    .entitlements()
    .map(({ name, spec }) => ({ name, rank: spec.rank, perHour: parseAiDollars(spec.price.perHour) }));
}
