import { FLAG_OF_MEASURE, goodStanding, MEASURES, type Standing } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { addInternalEvents, ORDER_LOCK } from '../writes/internal-events.ts';
import { type MeasureRow, readMeasures } from './measures.ts';

/** The reason of the standing is that of the first measure. Pure. */
export function standingOf(
  agentId: string,
  balanceTier: string | null,
  measures: readonly Pick<MeasureRow, 'measure' | 'reason'>[],
): Standing {
  const flags = Object.fromEntries(measures.map(({ measure }) => [FLAG_OF_MEASURE[measure], true]));
  return { ...goodStanding(agentId, balanceTier), ...flags, reason: measures[0]?.reason ?? null };
}

/** The standing of every agent with a computed tier or a measure, or only of `agentIds`. */
export async function readStandings(db: Db, agentIds?: readonly string[]): Promise<readonly Standing[]> {
  const tiers = new Map((await readTiers(db, agentIds)).map((row) => [row.agentId, row.balanceTier]));
  const held = Map.groupBy(await readMeasures(db, agentIds), ({ agentId }) => agentId);
  const known = new Set([...tiers.keys(), ...held.keys()]);
  return [...known].map((agentId) => standingOf(agentId, tiers.get(agentId) ?? null, held.get(agentId) ?? []));
}

type HeldMeasure = Pick<MeasureRow, 'measure' | 'reason'>;

interface LockedStanding {
  readonly agentId: string;
  readonly balanceTier: string | null;
  readonly measures: readonly HeldMeasure[];
}

function byHardness(one: HeldMeasure, other: HeldMeasure): number {
  return MEASURES.indexOf(one.measure) - MEASURES.indexOf(other.measure);
}

/** Notifies the operator of standings. Call it last: it takes the lock that orders internal events. */
export async function announceStandings(tx: Tx, agentIds: readonly string[]): Promise<void> {
  if (agentIds.length === 0) return;
  const { rows } = await sql<LockedStanding>`
    select agent_id as "agentId", balance_tier as "balanceTier", measures from lock_standings(${ORDER_LOCK}, ${agentIds}::text[])
  `.execute(tx);
  await addInternalEvents(
    tx,
    'standing',
    rows.map(({ agentId, balanceTier, measures }) => standingOf(agentId, balanceTier, measures.toSorted(byHardness))),
  );
}

/** The tier of an agent's balance, as last computed; null if the balance reaches no tier. */
export interface TierRow {
  readonly agentId: string;
  readonly balanceTier: string | null;
}

export async function readTiers(db: Db, agentIds?: readonly string[]): Promise<readonly TierRow[]> {
  return db
    .selectFrom('agent_tier')
    .select(['agent_id as agentId', 'balance_tier as balanceTier'])
    .$if(agentIds !== undefined, (query) => query.where(sql<boolean>`agent_id = any(${agentIds})`))
    .execute();
}

/** A locked tier with the balance in micro-aiDollars. Both include the writes of all earlier holders of the lock. */
export interface LockedTier extends TierRow {
  readonly balance: bigint;
}

/** Locks and reads tiers in the order of ids; creates missing rows. Later reads see the writes of earlier holders. */
export async function lockTiers(tx: Tx, agentIds: readonly string[]): Promise<readonly LockedTier[]> {
  const { rows } = await sql<TierRow & { readonly balance: string }>`
    select agent_id as "agentId", balance_tier as "balanceTier", balance::text from lock_tiers(${agentIds}::text[])
  `.execute(tx);
  return rows.map((row) => ({ ...row, balance: BigInt(row.balance) }));
}

export async function writeTiers(tx: Tx, tiers: readonly TierRow[]): Promise<void> {
  const [ids, names] = [tiers.map(({ agentId }) => agentId), tiers.map(({ balanceTier }) => balanceTier)];
  await sql`
    update agent_tier set balance_tier = news.balance_tier, since = now()
    from unnest(${ids}::text[], ${names}::text[]) as news (agent_id, balance_tier) where agent_tier.agent_id = news.agent_id
  `.execute(tx);
}
