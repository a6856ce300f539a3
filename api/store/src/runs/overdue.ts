import { sql } from 'kysely';
import { RUN_LEASE_S } from '@hamlet/contract';
import type { Db, Tx } from '../connection/database.ts';

export type GivenUp = 'agent_gone' | 'cancel_unconfirmed' | 'stopped' | 'time_limit';

export interface OverdueRun {
  readonly runId: string;
  readonly why: GivenUp;
  /** Reason of the stop; null for a run that was not stopped. */
  readonly stoppedCode: string | null;
}

export interface RunLimits {
  readonly cancelGraceS: number;
  /** Seconds that a stopped run has for the last report of its agent. */
  readonly stopGraceS: number;
  /** Seconds beyond its time budget that an agent has to end a run. */
  readonly timeGraceS: number;
  /** Budget of time, in seconds, of a run that was started without budgets. */
  readonly timeLimitS: number;
  /** Maximum seconds that a run waits for its agent's first life. */
  readonly unseenLifeS: number;
}

const AT_ONCE = 200;

/** Runs that the village must end: their life ended, a cancel is unanswered, they were stopped and do not end, or they exceed their time budget. */
export async function readOverdueRuns(db: Db, limits: RunLimits): Promise<readonly OverdueRun[]> {
  const { rows } = await sql<OverdueRun>`
    select run_id as "runId", stopped_code as "stoppedCode", case
      when agent_life.closed_at is not null or agent_life.uid is null then 'agent_gone'
      when run.state <> 'queued' and cancel_requested_at < now() - ${limits.cancelGraceS} * interval '1 second' then 'cancel_unconfirmed'
      when stopped_at < now() - ${limits.stopGraceS} * interval '1 second' then 'stopped'
      else 'time_limit' end as why
    from run left join agent_life on agent_life.uid = run.agent_uid
    where run.state in ('queued', 'running', 'waiting_permission') and (
      agent_life.closed_at is not null
      or (agent_life.uid is null and run.created_at < now() - ${limits.unseenLifeS} * interval '1 second')
      or (run.state <> 'queued' and cancel_requested_at < now() - ${limits.cancelGraceS} * interval '1 second')
      or stopped_at < now() - ${limits.stopGraceS} * interval '1 second'
      or (run.state = 'running' and worked_ms + extract(epoch from least(clock_timestamp(), lease_until) - working_since) * 1000
        > coalesce((budgets ->> 'timeMs')::bigint, ${limits.timeLimitS}::bigint * 1000) + ${limits.timeGraceS} * 1000))
    order by run_id limit ${AT_ONCE}`.execute(db);
  return rows;
}

export const leaseEnd = sql<Date>`clock_timestamp() + ${RUN_LEASE_S} * interval '1 second'`;

export async function renewClaim(tx: Tx, runId: string): Promise<void> {
  await tx.updateTable('run').set({ lease_until: leaseEnd }).where('run_id', '=', runId).execute();
}

/** Runs whose lease has lapsed, oldest first, at most 200. The caller locks each and checks again. */
export async function readRunsOverLease(db: Db): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('run')
    .select('run_id')
    .where('lease_until', '<', sql<Date>`clock_timestamp()`)
    .orderBy('lease_until')
    .limit(AT_ONCE)
    .execute();
  return rows.map(({ run_id }) => run_id);
}
