import type { RunError, RunState } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Tx } from '../connection/database.ts';
import { leaseEnd } from './overdue.ts';
import { RUN_COLUMNS, type RunRow, UNDER_WAY } from './run-row.ts';

/** Absent optional fields stay as they are. */
export interface RunChange {
  readonly state: RunState;
  readonly attempt: number;
  readonly cycle: number | null;
  readonly cancelRequested: boolean;
  /** Whether the agent requested the change, which renews its lease on the run. */
  readonly byAgent: boolean;
  readonly summary?: string | undefined;
  readonly error?: RunError | undefined;
  readonly event: string;
  readonly detail: unknown;
}

const ENDED: ReadonlySet<RunState> = new Set<RunState>(['done', 'failed', 'cancelled']);

/** Locks a run after the row of its Schedule, if that still exists: every transaction locks in this order. */
export async function lockRun(tx: Tx, runId: string): Promise<RunRow | null> {
  const known = await tx.selectFrom('run').select('schedule_uid').where('run_id', '=', runId).executeTakeFirst();
  if (known === undefined) return null;
  if (known.schedule_uid !== null)
    await tx
      .selectFrom('schedule_state')
      .select('schedule_uid')
      .where('schedule_uid', '=', known.schedule_uid)
      .forUpdate()
      .execute();
  return (
    (await tx.selectFrom('run').select(RUN_COLUMNS).where('run_id', '=', runId).forUpdate().executeTakeFirst()) ?? null
  );
}

export async function changeRun(tx: Tx, run: RunRow, change: RunChange): Promise<RunRow> {
  const now = sql<Date>`clock_timestamp()`;
  const number = run.events + 1;
  const changed = await tx
    .updateTable('run')
    .set({
      state: change.state,
      attempt: change.attempt,
      cycle: change.cycle,
      events: number,
      ...(run.startedAt === null && change.attempt > 0 ? { started_at: now } : {}),
      ...(ENDED.has(change.state) ? { ended_at: now } : {}),
      ...(change.cancelRequested && run.cancelRequestedAt === null ? { cancel_requested_at: now } : {}),
      ...(change.byAgent && !ENDED.has(change.state) ? { lease_until: leaseEnd } : {}),
      ...(change.summary === undefined ? {} : { summary: change.summary }),
      ...(change.error === undefined ? {} : { error_code: change.error.code, error_message: change.error.message }),
    })
    .where('run_id', '=', run.runId)
    .returning(RUN_COLUMNS)
    .executeTakeFirstOrThrow();
  await tx
    .insertInto('run_event')
    .values({ run_id: run.runId, number, event: change.event, detail: JSON.stringify(change.detail) })
    .execute();
  return changed;
}

/** The details of the step that the agent recorded under a number; null if there is none. */
export async function findStep(tx: Tx, runId: string, step: number): Promise<unknown> {
  const row = await tx
    .selectFrom('run_event')
    .select('detail')
    .where('run_id', '=', runId)
    .where('event', '=', 'step')
    .where(sql<boolean>`(detail ->> 'step')::integer = ${step}`)
    .executeTakeFirst();
  return row?.detail ?? null;
}

/** Locks the runs that have not ended. The caller has already locked the Schedule's row. */
export async function lockRunsOfSchedule(tx: Tx, scheduleUid: string): Promise<readonly RunRow[]> {
  return tx
    .selectFrom('run')
    .select(RUN_COLUMNS)
    .where('schedule_uid', '=', scheduleUid)
    .where('state', 'in', UNDER_WAY)
    .orderBy('run_id')
    .forUpdate()
    .execute();
}
