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

/** A tier whose row is locked, with the balance in micro-aiDollars as every earlier holder of the lock has left it. */
export interface LockedTier extends TierRow {
  readonly balance: bigint;
}

/**
 * Locks the tiers of agents, in the order of their ids, and reads them with the balances; agents without a row get one, and one without an account
 * has nothing. Whoever reads measures after this sees what every earlier holder of the lock has written.
 */
export async function lockTiers(tx: Tx, agentIds: readonly string[]): Promise<readonly LockedTier[]> {
  const { rows } = await sql<TierRow & { readonly balance: string }>`
    select agent_id as "agentId", balance_tier as "balanceTier", balance::text from lock_tiers(${agentIds}::text[])`.execute(
    tx,
  );
  return rows.map((row) => ({ ...row, balance: BigInt(row.balance) }));
}

/** Writes tiers whose rows are locked. */
export async function writeTiers(tx: Tx, tiers: readonly TierRow[]): Promise<void> {
  const [ids, names] = [tiers.map(({ agentId }) => agentId), tiers.map(({ balanceTier }) => balanceTier)];
  await sql`
    update agent_tier set balance_tier = news.balance_tier, since = now()
    from unnest(${ids}::text[], ${names}::text[]) as news (agent_id, balance_tier) where agent_tier.agent_id = news.agent_id`.execute(
    tx,
  );
}
