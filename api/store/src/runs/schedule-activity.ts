import type { ScheduleActivity } from '@hamlet/contract';
import { sql } from 'kysely';
import { addInternalEvent } from '../writes/internal-events.ts';
import type { Db, Tx } from '../connection/database.ts';

interface Asked {
  readonly uid?: string;
  readonly page?: { readonly after: string; readonly limit: number };
}

async function activities(db: Db, { uid, page }: Asked): Promise<readonly ScheduleActivity[]> {
  const rows = await db
    .selectFrom('schedule_state')
    .select([
      'schedule_uid',
      'last_run_id',
      'last_run_at',
      'last_slot',
      sql<number>`(select count(*) from run where run.schedule_uid = schedule_state.schedule_uid and run.state in ('queued', 'running', 'waiting_permission'))`.as(
        'active',
      ),
    ])
    .$if(uid !== undefined, (query) => query.where('schedule_uid', '=', uid ?? ''))
    .$if(page !== undefined, (query) => query.where('schedule_uid', '>', page?.after ?? '').limit(page?.limit ?? 0))
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

export function readScheduleActivity(
  db: Db,
  page?: { readonly after: string; readonly limit: number },
): Promise<readonly ScheduleActivity[]> {
  return activities(db, page === undefined ? {} : { page });
}

/** Notifies the operator. Call it last in a transaction: it takes the lock that orders internal events. */
export async function announceSchedule(tx: Tx, scheduleUid: string): Promise<void> {
  for (const activity of await activities(tx, { uid: scheduleUid })) await addInternalEvent(tx, 'schedule', activity);
}
