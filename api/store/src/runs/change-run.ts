import type { Mind, RunBudgets, RunError, RunEventKind, RunState } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Tx } from '../connection/database.ts';
import { leaseEnd } from './overdue.ts';
import { RUN_COLUMNS, type RunRow } from './run-row.ts';

/** A change of a run; absent optional fields stay unchanged. */
export interface RunChange {
  readonly state: RunState;
  readonly attempt: number;
  readonly progressAttempt: number;
  readonly cycle: number | null;
  readonly cancelRequested: boolean;
  /** True if the agent requested the change, which renews its lease on the run. */
  readonly byAgent: boolean;
  readonly summary?: string | undefined;
  readonly error?: RunError | undefined;
  /** Set at the first start; later starts do not change it. */
  readonly budgets?: RunBudgets | undefined;
  readonly runtime?: string | undefined;
  readonly mind?: Mind | undefined;
  readonly claimed?: RunUsageClaim | undefined;
  readonly unsettled?: readonly string[] | undefined;
  /** A start of the run ends its parking. */
  readonly parked?: Parking | undefined;
  readonly event: RunEventKind;
  readonly detail: unknown;
}

/** Why a run waits for its model, and for how long from now. */
export interface Parking {
  readonly code: string;
  readonly waitMs: number;
}

/** Usage as the agent counted it. */
export interface RunUsageClaim {
  readonly steps: number;
  readonly tokens: number;
  readonly costMicros: number;
}

/** Channel of changes of runs that the API itself makes; the payload is the run's id. */
export const RUN_CHANGES_CHANNEL = 'run_change';

const ENDED: ReadonlySet<RunState> = new Set<RunState>(['done', 'failed', 'cancelled']);

function claimedUsage({ steps, tokens, costMicros }: RunUsageClaim) {
  return {
    steps: sql<number>`greatest(steps, ${steps}::integer)`,
    claimed_tokens: sql<number>`greatest(claimed_tokens, ${tokens}::bigint)`,
    claimed_cost_micros: sql<number>`greatest(claimed_cost_micros, ${costMicros}::bigint)`,
  };
}

function parking(run: RunRow, { state, parked }: RunChange) {
  if (state === 'running') return run.parkedUntil === null ? {} : { parked_until: null, parked_code: null };
  if (parked === undefined || state !== 'queued') return {};
  const { code, waitMs } = parked;
  const until = sql<Date>`clock_timestamp() + ${waitMs} * interval '1 millisecond'`;
  return { parked_until: until, parked_code: code };
}

function sometimes(run: RunRow, change: RunChange) {
  const { summary, error, budgets, runtime, mind, claimed, unsettled } = change;
  return {
    ...(summary === undefined ? {} : { summary }),
    ...(error === undefined ? {} : { error_code: error.code, error_message: error.message }),
    ...(budgets === undefined || run.budgets !== null ? {} : { budgets: JSON.stringify(budgets) }),
    ...(runtime === undefined ? {} : { runtime }),
    ...(mind === undefined ? {} : { mind: JSON.stringify(mind) }),
    ...(claimed === undefined ? {} : claimedUsage(claimed)),
    ...(unsettled === undefined ? {} : { unsettled: [...unsettled] }),
    ...(change.event === 'step' ? { steps: run.steps + 1 } : {}),
  };
}

export async function changeRun(tx: Tx, run: RunRow, change: RunChange): Promise<RunRow> {
  const now = sql<Date>`clock_timestamp()`;
  const number = run.events + 1;
  const changed = await tx
    .updateTable('run')
    .set({
      state: change.state,
      attempt: change.attempt,
      progress_attempt: change.progressAttempt,
      cycle: change.cycle,
      events: number,
      ...(run.startedAt === null && change.attempt > 0 ? { started_at: now } : {}),
      ...(ENDED.has(change.state) ? { ended_at: now } : {}),
      ...(change.cancelRequested && run.cancelRequestedAt === null ? { cancel_requested_at: now } : {}),
      ...(change.byAgent && !ENDED.has(change.state) ? { lease_until: leaseEnd } : {}),
      ...parking(run, change),
      ...sometimes(run, change),
    })
    .where('run_id', '=', run.runId)
    .returning(RUN_COLUMNS)
    .executeTakeFirstOrThrow();
  await insertEvent(tx, { runId: run.runId, number, event: change.event, detail: change.detail });
  return changed;
}

interface NewEvent {
  readonly runId: string;
  readonly number: number;
  readonly event: RunEventKind;
  readonly detail: unknown;
  readonly witnessed?: boolean;
}

async function insertEvent(tx: Tx, { runId, number, event, detail, witnessed = true }: NewEvent): Promise<void> {
  await tx
    .insertInto('run_event')
    .values({ run_id: runId, number, event, detail: JSON.stringify(detail), witnessed })
    .execute();
  await sql`select pg_notify(${RUN_CHANGES_CHANNEL}, ${runId})`.execute(tx);
}

interface NotedEvent {
  readonly event: RunEventKind;
  readonly detail: Readonly<Record<string, unknown>>;
  /** False if the agent only claims it; true by default. */
  readonly witnessed?: boolean;
}

export async function noteRunEvent(
  tx: Tx,
  run: RunRow,
  { event, detail, witnessed = true }: NotedEvent,
): Promise<RunRow> {
  const number = run.events + 1;
  const changed = await tx
    .updateTable('run')
    .set({ events: number })
    .where('run_id', '=', run.runId)
    .returning(RUN_COLUMNS)
    .executeTakeFirstOrThrow();
  await insertEvent(tx, { runId: run.runId, number, event, detail, witnessed });
  return changed;
}

/** Sets greater limits of a run, with an event. The caller has locked the run. */
export async function raiseBudgets(
  tx: Tx,
  run: RunRow,
  { budgets, by }: { readonly budgets: RunBudgets; readonly by: Readonly<Record<string, unknown>> },
): Promise<RunRow> {
  await tx
    .updateTable('run')
    .set({ budgets: JSON.stringify(budgets) })
    .where('run_id', '=', run.runId)
    .execute();
  return noteRunEvent(tx, run, { event: 'budget_raised', detail: { by, budgets } });
}

/** Denies each further call of a run, which then fails with the code. The first code stays, with its time. The caller has locked the run. */
export async function stopRun(tx: Tx, runId: string, code: string): Promise<void> {
  await tx
    .updateTable('run')
    .set({ stopped_code: code, stopped_at: sql<Date>`clock_timestamp()` })
    .where('run_id', '=', runId)
    .where('stopped_code', 'is', null)
    .execute();
}

/** Names the mind that works on a run, as its agent knows it now, to all who watch the run. The caller has locked the run. */
export async function nameMind(tx: Tx, run: RunRow, mind: Mind): Promise<RunRow> {
  const changed = await tx
    .updateTable('run')
    .set({ mind: JSON.stringify(mind) })
    .where('run_id', '=', run.runId)
    .returning(RUN_COLUMNS)
    .executeTakeFirstOrThrow();
  await sql`select pg_notify(${RUN_CHANGES_CHANNEL}, ${run.runId})`.execute(tx);
  return changed;
}

/** Records progress of the agent, which also renews its lease. */
export async function markProgress(tx: Tx, run: RunRow, attempt: number): Promise<void> {
  await tx
    .updateTable('run')
    .set({ progress_attempt: attempt, lease_until: leaseEnd })
    .where('run_id', '=', run.runId)
    .execute();
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
