import type { ScheduleActivity } from '@hamlet/contract';
import { sql } from 'kysely';
import { addInternalEvent } from '../agents/internal-events.ts';
import type { Db, Tx } from '../connection/database.ts';

async function activities(db: Db, scheduleUid?: string): Promise<readonly ScheduleActivity[]> {
  const rows = await db
    .selectFrom('schedule_state')
    .select([
      'schedule_uid',
      'last_run_id',
      'last_run_at',
      'last_slot',
      sql<number>`(select count(*) from run where run.schedule_uid = schedule_state.schedule_uid and run.state in ('queued', 'running', 'waiting_permission'))`.as('active'),
    ])
    .$if(scheduleUid !== undefined, (query) => query.where('schedule_uid', '=', scheduleUid ?? ''))
    .orderBy('schedule_uid')
    .execute();
  return rows.map(({ schedule_uid, last_run_id, last_run_at, last_slot, active }) => ({
    schedule_uid,
    active_runs: active,
    last_run_id,
    last_run_at: last_run_at?.toISOString() ?? null,
    last_slot: last_slot?.toISOString() ?? null,
  }));
}

/** How the runs of every schedule stand. */
export function readScheduleActivity(db: Db): Promise<readonly ScheduleActivity[]> {
  return activities(db);
}

/** Tells the operator how the runs of a schedule stand now. Last in its transaction: it takes the lock that orders internal events. */
export async function announceSchedule(tx: Tx, scheduleUid: string): Promise<void> {
  for (const activity of await activities(tx, scheduleUid)) await addInternalEvent(tx, 'schedule', activity);
}
