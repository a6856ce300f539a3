import { FLAG_OF_MEASURE, goodStanding, MEASURES } from '@hamlet/contract';
import type { Standing } from '@hamlet/contract';
import { sql } from 'kysely';
import { addInternalEvents, ORDER_LOCK } from '../agents/internal-events.ts';
import type { Db, Tx } from '../connection/database.ts';
import { readMeasures } from './measures.ts';
import type { MeasureRow } from './measures.ts';
import { readTiers } from './tiers.ts';

/** A standing from its parts; measures come hardest first, and the reason is that of the first. Pure. */
export function standingOf(
  agentId: string,
  balanceTier: string | null,
  measures: readonly Pick<MeasureRow, 'measure' | 'reason'>[],
): Standing {
  const flags = Object.fromEntries(measures.map(({ measure }) => [FLAG_OF_MEASURE[measure], true]));
  return { ...goodStanding(agentId, balanceTier), ...flags, reason: measures[0]?.reason ?? null };
}

/** The standing of every agent that has one (a tier that was computed, or something held against it), or of those of `agentIds` alone. */
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

/** Tells the operator and every replica how agents stand now, with the caller's transaction. Last in it: it takes the lock that orders events. */
export async function announceStandings(tx: Tx, agentIds: readonly string[]): Promise<void> {
  if (agentIds.length === 0) return;
  const { rows } = await sql<LockedStanding>`
    select agent_id as "agentId", balance_tier as "balanceTier", measures from lock_standings(${ORDER_LOCK}, ${agentIds}::text[])`.execute(
    tx,
  );
  await addInternalEvents(
    tx,
    'standing',
    rows.map(({ agentId, balanceTier, measures }) => standingOf(agentId, balanceTier, measures.toSorted(byHardness))),
  );
}
