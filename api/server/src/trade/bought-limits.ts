import type { Limits } from '@hamlet/contract';
import { effectiveLimits } from '@hamlet/core';
import { activePurchases } from '@hamlet/store';
import type { Db } from '@hamlet/store';

/** Raises the limits of a tier by what lasts of what an agent has bought, at the moment of the call. */
export type RaiseLimits = (limits: Limits) => Limits;

/**
 * Reads what agents have bought. What is answered may be kept for five seconds: it counts on from the database's clock, so that a purchase ends at
 * its very moment also for those who keep it.
 */
export async function boughtLimits(
  db: Db,
  agentIds: readonly string[],
  monotonicMs: () => number,
): Promise<(agentId: string) => RaiseLimits> {
  const askedMs = monotonicMs();
  const { readAtMs, of } = await activePurchases(db, agentIds);
  return (agentId) => (limits) => effectiveLimits(limits, of(agentId), readAtMs + monotonicMs() - askedMs);
}
