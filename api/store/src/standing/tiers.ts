import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';

/** The tier of an agent's balance, as it was computed last; null while no tier is reached. */
export interface TierRow {
  readonly agentId: string;
  readonly balanceTier: string | null;
}

/** The tiers that are kept, of all agents. */
export async function readTiers(db: Db): Promise<readonly TierRow[]> {
  return db.selectFrom('agent_tier').select(['agent_id as agentId', 'balance_tier as balanceTier']).execute();
}

/**
 * Locks the tiers of agents, in the order of their ids, and reads them; agents without a row get one. Whoever reads balances or measures
 * after this sees what every earlier holder of the lock has written.
 */
export async function lockTiers(tx: Tx, agentIds: readonly string[]): Promise<readonly TierRow[]> {
  const ids = [...new Set(agentIds)].sort();
  if (ids.length === 0) return [];
  await tx
    .insertInto('agent_tier')
    .values(ids.map((agent_id) => ({ agent_id, balance_tier: null })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return tx.selectFrom('agent_tier').select(['agent_id as agentId', 'balance_tier as balanceTier']).where('agent_id', 'in', ids).orderBy('agent_id').forUpdate().execute();
}

/** Writes a tier whose row is locked. */
export async function writeTier(tx: Tx, { agentId, balanceTier }: TierRow): Promise<void> {
  await tx.updateTable('agent_tier').set({ balance_tier: balanceTier, since: sql<Date>`now()` }).where('agent_id', '=', agentId).execute();
}
