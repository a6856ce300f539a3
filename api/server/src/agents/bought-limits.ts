import type { Limits } from '@hamlet/contract';
import { effectiveLimits } from '@hamlet/core';
import { activePurchases, type Db } from '@hamlet/store';

/** Returns a function that raises a tier's limits by the purchases of an agent that are active when it is called. */
export type RaiseLimits = (limits: Limits) => Limits;

/** The result may be cached for 5 s: `RaiseLimits` compares the ends of purchases with the database's clock. */
export async function boughtLimits(
  db: Db,
  agentIds: readonly string[],
  monotonicMs: () => number,
): Promise<(agentId: string) => RaiseLimits> {
  const askedMs = monotonicMs();
  const { readAtMs, of } = await activePurchases(db, agentIds);
  return (agentId) => (limits) => effectiveLimits(limits, of(agentId), readAtMs + monotonicMs() - askedMs);
}
