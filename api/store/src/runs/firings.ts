import type { FiredRun, ScheduleActivity } from '@hamlet/contract';
import { type Selection, sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import type { Tables } from '../connection/tables.generated.ts';
import type { Fence } from './fences.ts';
import { addInternalEvent } from '../writes/internal-events.ts';

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

interface LockedSchedule {
  /** This slot and earlier ones never fire again. Null if no firing was deleted. */
  readonly prunedThrough: Date | null;
}

/** Locks the row of a Schedule; the first firing creates the row. Another firing waits until the transaction ends. */
export async function lockSchedule(
  tx: Tx,
  schedule: { readonly uid: string; readonly name: string; readonly historyLimit: number },
): Promise<LockedSchedule> {
  const { uid, name, historyLimit } = schedule;
  return tx
    .insertInto('schedule_state')
    .values({ schedule_uid: uid, schedule_name: name, history_limit: historyLimit })
    .onConflict((conflict) =>
      conflict
        .column('schedule_uid')
        .doUpdateSet({ schedule_name: name, history_limit: historyLimit, fired_at: sql`now()` }),
    )
    .returning(sql<Date | null>`nullif(pruned_through, '-infinity')`.as('prunedThrough'))
    .executeTakeFirstOrThrow();
}

const COLUMNS = ['firing_id as firingId', 'slot', 'fired_at as firedAt', 'made_up as madeUp', 'runs'] as const;

type Raw = Readonly<Selection<Tables, 'firing', (typeof COLUMNS)[number]>>;
export type FiringRow = Raw & { readonly runs: readonly FiredRun[] };

const rowOf = (row: Raw): FiringRow => ({ ...row, runs: row.runs as readonly FiredRun[] });

export async function findFiring(db: Db, scheduleUid: string, slot: Date): Promise<FiringRow | null> {
  const row = await db
    .selectFrom('firing')
    .select(COLUMNS)
    .where('schedule_uid', '=', scheduleUid)
    .where('slot', '=', slot)
    .executeTakeFirst();
  return row === undefined ? null : rowOf(row);
}

interface NewFiring {
  readonly scheduleUid: string;
  readonly slot: Date;
  readonly fence: Fence;
  readonly madeUp: boolean;
  readonly runs: readonly FiredRun[];
  readonly lastRun: { readonly runId: string; readonly createdAt: Date } | null;
}

/** Stores a firing. The caller has locked the Schedule and checked that the slot has not fired. */
export async function insertFiring(tx: Tx, firing: NewFiring): Promise<FiringRow> {
  const { scheduleUid, slot, fence, madeUp, runs, lastRun } = firing;
  const row = await tx
    .insertInto('firing')
    .values({
      schedule_uid: scheduleUid,
      slot,
      lease_uid: fence.leaseUid,
      transitions: fence.transitions,
      made_up: madeUp,
      runs: JSON.stringify(runs),
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  await tx
    .updateTable('schedule_state')
    .set({
      last_slot: sql`greatest(last_slot, ${slot}::timestamptz)`,
      ...(lastRun === null ? {} : { last_run_id: lastRun.runId, last_run_at: lastRun.createdAt }),
    })
    .where('schedule_uid', '=', scheduleUid)
    .execute();
  return rowOf(row);
}

export async function readLastFirings(
  db: Db,
  scheduleUids: readonly string[],
  limit: number,
): Promise<ReadonlyMap<string, readonly FiringRow[]>> {
  if (scheduleUids.length === 0) return new Map();
  const { rows } = await sql<FiringRow & { readonly scheduleUid: string }>`
    select uid as "scheduleUid", firing_id as "firingId", slot, fired_at as "firedAt", made_up as "madeUp", runs
    from unnest(${[...scheduleUids]}::text[]) as uid
    cross join lateral (select * from firing where firing.schedule_uid = uid order by slot desc limit ${limit}) as newest
    order by uid, slot desc`.execute(db);
  return Map.groupBy(rows, ({ scheduleUid }) => scheduleUid);
}
