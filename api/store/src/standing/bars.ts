import { MEASURES } from '@hamlet/contract';
import type { Measure } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';

/** The hardest measure that holds against an agent. */
export interface HeldBar {
  readonly measure: Measure;
  readonly reason: string;
  readonly expiresAt: Date | null;
}

/** Whether a row of `standing_measure` holds now. */
export const HOLDS = sql<boolean>`lifted_at is null and (expires_at is null or expires_at > now())`;

/** Position in {@link MEASURES}: the hardest first. */
export const HARDEST_FIRST = sql`array_position(array[${sql.join(MEASURES.map((measure) => sql.lit(measure)))}], measure)`;

/** What holds against each of the agents, the hardest only; agents against which nothing does are left out. */
export async function readBars(db: Db, agentIds: readonly string[]): Promise<ReadonlyMap<string, HeldBar>> {
  if (agentIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('standing_measure')
    .distinctOn('agent_id')
    .select(['agent_id as agentId', 'measure', 'reason', 'expires_at as expiresAt'])
    .where(sql<boolean>`agent_id = any(${agentIds})`)
    .where(HOLDS)
    .orderBy('agent_id')
    .orderBy(HARDEST_FIRST)
    .execute();
  return new Map(rows.map(({ agentId, ...bar }) => [agentId, bar]));
}
