import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';

/** How often a run was parked, and for how long in all, as its agent asked. */
export async function readParks(tx: Tx, runId: string): Promise<{ readonly count: number; readonly totalMs: number }> {
  const { rows } = await sql<{ readonly count: number; readonly totalMs: number }>`
    select count(*)::float8 as count, coalesce(sum((detail ->> 'wait_ms')::bigint), 0)::float8 as "totalMs"
    from run_event where run_id = ${runId} and event = 'queued' and detail ? 'wait_ms'`.execute(tx);
  return rows[0] ?? { count: 0, totalMs: 0 };
}

type Life = Readonly<{ agentId: string; uid: string }>;

/** The code of a run that waits until the tokens of its agent's hour are free again. */
export const QUOTA_PARK = 'token_quota_exhausted';

/** The oldest run of an agent's life that waits for tokens, with the tokens an hour that the agent had when it parked. */
export async function findQuotaPark(
  db: Db,
  { agentId, uid }: Life,
): Promise<{ readonly runId: string; readonly quota: number } | null> {
  const { rows } = await sql<{ readonly runId: string; readonly quota: number }>`
    select run_id as "runId", (
      select coalesce((detail ->> 'quota')::float8, 0) from run_event
      where run_event.run_id = run.run_id and event = 'queued' order by number desc limit 1) as quota
    from run where agent_id = ${agentId} and agent_uid = ${uid} and state = 'queued' and parked_code = ${QUOTA_PARK} and parked_until > clock_timestamp()
    order by run_id limit 1`.execute(db);
  return rows[0] ?? null;
}

/** Ends the waits of an agent's life for tokens, because it has more of them now. */
export async function endQuotaParks(db: Db, { agentId, uid }: Life): Promise<void> {
  await sql`
    update run set parked_until = clock_timestamp()
    where agent_id = ${agentId} and agent_uid = ${uid} and state = 'queued' and parked_code = ${QUOTA_PARK} and parked_until > clock_timestamp()`.execute(
    db,
  );
}

/** The code of a run that waits for the end of the village's freeze. */
const FREEZE_PARK = 'village_frozen';

/**
 * Ends the waits of all agents for the end of the freeze. The caller has locked the table against writers, so waiting for a run that one
 * of them holds would be a deadlock. Such a run waits for as long as its agent asked.
 */
export async function endFreezeParks(tx: Tx): Promise<void> {
  await sql`
    update run set parked_until = clock_timestamp() where run_id in (
      select run_id from run
      where state = 'queued' and parked_code = ${FREEZE_PARK} and parked_until > clock_timestamp()
      for update skip locked)`.execute(tx);
}
