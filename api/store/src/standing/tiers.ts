import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';

/** The tier of an agent's balance, as it was computed last; null while no tier is reached. */
export interface TierRow {
  readonly agentId: string;
  readonly balanceTier: string | null;
}

/** The tiers that are kept; of all agents, or of some. */
export async function readTiers(db: Db, agentIds?: readonly string[]): Promise<readonly TierRow[]> {
  return db
    .selectFrom('agent_tier')
    .select(['agent_id as agentId', 'balance_tier as balanceTier'])
    .$if(agentIds !== undefined, (query) => query.where(sql<boolean>`agent_id = any(${agentIds})`))
    .execute();
}

/**
 * Locks the tiers of agents, in the order of their ids, and reads them; agents without a row get one. Whoever reads balances or measures
 * after this sees what every earlier holder of the lock has written.
 */
export async function lockTiers(tx: Tx, agentIds: readonly string[]): Promise<readonly TierRow[]> {
  const ids = [...new Set(agentIds)].sort();
  if (ids.length === 0) return [];
  await sql`insert into agent_tier (agent_id) select unnest(${ids}::text[]) on conflict do nothing`.execute(tx);
  return tx.selectFrom('agent_tier').select(['agent_id as agentId', 'balance_tier as balanceTier']).where(sql<boolean>`agent_id = any(${ids})`).orderBy('agent_id').forUpdate().execute();
}

/** Writes tiers whose rows are locked. */
export async function writeTiers(tx: Tx, tiers: readonly TierRow[]): Promise<void> {
  const [ids, names] = [tiers.map(({ agentId }) => agentId), tiers.map(({ balanceTier }) => balanceTier)];
  await sql`
    update agent_tier set balance_tier = news.balance_tier, since = now()
    from unnest(${ids}::text[], ${names}::text[]) as news (agent_id, balance_tier) where agent_tier.agent_id = news.agent_id`.execute(tx);
}
