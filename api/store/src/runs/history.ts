import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import type { RunRow } from './run-row.ts';
import { pruneWorkers } from './workers.ts';

const PROMPT_RUNS_KEPT = 1_000;
/** Maximum number of stored firings per Schedule: two days at one every ten seconds. */
const FIRINGS_KEPT = 20_000;
/** Days without a firing after which the database forgets a Schedule, its firings and runs. */
const FORGOTTEN_AFTER_DAYS = 90;
const AT_ONCE = 5_000;

/** True if no worker of the run is unfinished, for a query of `run`: a run stays until its last worker has ended. */
const HAS_NO_ACTIVE_WORKER = sql`not exists (
  select from run child where child.parent_run_id = run.run_id and child.state in ('queued', 'running', 'waiting_permission'))`;

export async function pruneScheduleRuns(tx: Tx, scheduleUid: string, historyLimit: number): Promise<void> {
  await sql`
    delete from run where run_id in (
      select run_id from run where schedule_uid = ${scheduleUid} and state in ('done', 'failed', 'cancelled') and ${HAS_NO_ACTIVE_WORKER}
      order by run_id desc offset ${historyLimit} limit ${AT_ONCE})`.execute(tx);
}

export async function pruneHistory(
  tx: Tx,
  { scheduleUid, agentId }: Pick<RunRow, 'scheduleUid' | 'agentId'>,
): Promise<void> {
  await pruneWorkers(tx, agentId);
  if (scheduleUid !== null) {
    const state = await tx
      .selectFrom('schedule_state')
      .select('history_limit')
      .where('schedule_uid', '=', scheduleUid)
      .executeTakeFirst();
    if (state !== undefined) await pruneScheduleRuns(tx, scheduleUid, state.history_limit);
    return;
  }
  await sql`
    delete from run where run_id in (
      select run_id from run where agent_id = ${agentId} and schedule_uid is null and kind <> 'worker' and state in ('done', 'failed', 'cancelled')
        and ${HAS_NO_ACTIVE_WORKER}
        and not exists (select from run_offer where run_offer.run_id = run.run_id and run_offer.state = 'open')
      order by run_id desc offset ${PROMPT_RUNS_KEPT} limit ${AT_ONCE} for update skip locked)`.execute(tx);
}

/** Deletes firings beyond the newest FIRINGS_KEPT; their slots still count as fired. */
export async function forgetOldFirings(db: Db): Promise<void> {
  await sql`
    with surplus as (
      select schedule_uid from firing group by schedule_uid having count(*) > ${FIRINGS_KEPT}),
    bound as (
      select surplus.schedule_uid, (
        select slot from firing where firing.schedule_uid = surplus.schedule_uid order by slot desc offset ${FIRINGS_KEPT} limit 1) as slot
      from surplus),
    marked as (
      update schedule_state set pruned_through = greatest(pruned_through, bound.slot) from bound
      where schedule_state.schedule_uid = bound.schedule_uid returning schedule_state.schedule_uid, schedule_state.pruned_through)
    delete from firing using marked where firing.schedule_uid = marked.schedule_uid and firing.slot <= marked.pruned_through
  `.execute(db);
}

/** Deletes Schedules without a firing for FORGOTTEN_AFTER_DAYS and without unfinished runs, with their ended runs. */
export async function forgetOldSchedules(db: Db): Promise<void> {
  await sql`
    delete from schedule_state where fired_at < now() - ${FORGOTTEN_AFTER_DAYS} * interval '1 day' and not exists (
      select from run where run.schedule_uid = schedule_state.schedule_uid and run.state in ('queued', 'running', 'waiting_permission'))
  `.execute(db);
  await sql`
    delete from run where run_id in (
      select run_id from run where schedule_uid is not null and state in ('done', 'failed', 'cancelled')
        and not exists (select from schedule_state where schedule_state.schedule_uid = run.schedule_uid) limit ${AT_ONCE})
  `.execute(db);
}
