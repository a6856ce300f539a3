import { FLAG_OF_MEASURE, goodStanding } from '@hamlet/contract';
import type { Standing } from '@hamlet/contract';
import { addInternalEvent, lockInternalEvents } from '../agents/internal-events.ts';
import type { Db, Tx } from '../connection/database.ts';
import { readMeasures } from './measures.ts';
import type { MeasureRow } from './measures.ts';
import { readTiers } from './tiers.ts';

/** A standing from its parts; measures come hardest first, and the reason is that of the first. Pure. */
export function standingOf(agentId: string, balanceTier: string | null, measures: readonly Pick<MeasureRow, 'measure' | 'reason'>[]): Standing {
  const flags = Object.fromEntries(measures.map(({ measure }) => [FLAG_OF_MEASURE[measure], true]));
  return { ...goodStanding(agentId, balanceTier), ...flags, reason: measures[0]?.reason ?? null };
}

/** The standing of every agent that has one: a tier that was computed, or something held against it. */
export async function readStandings(db: Db): Promise<readonly Standing[]> {
  const tiers = new Map((await readTiers(db)).map((row) => [row.agentId, row.balanceTier]));
  const held = Map.groupBy(await readMeasures(db), ({ agentId }) => agentId);
  const agentIds = new Set([...tiers.keys(), ...held.keys()]);
  return [...agentIds].map((agentId) => standingOf(agentId, tiers.get(agentId) ?? null, held.get(agentId) ?? []));
}

/** The standing of one agent with the measures behind it. */
export async function readStanding(db: Db, agentId: string): Promise<{ readonly standing: Standing; readonly measures: readonly MeasureRow[] }> {
  const row = await db.selectFrom('agent_tier').select('balance_tier').where('agent_id', '=', agentId).executeTakeFirst();
  const measures = await readMeasures(db, agentId);
  return { standing: standingOf(agentId, row?.balance_tier ?? null, measures), measures };
}

/** Tells the operator and every replica how an agent stands now, with the caller's transaction. Last in it: it takes the lock that orders events. */
export async function announceStanding(tx: Tx, agentId: string): Promise<Standing> {
  // Read under the lock: whoever announced this agent meanwhile has committed, and is seen.
  await lockInternalEvents(tx);
  const { standing } = await readStanding(tx, agentId);
  await addInternalEvent(tx, 'standing', standing);
  return standing;
}
