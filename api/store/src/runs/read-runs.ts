import { type RunEventKind, type RunLane, type RunState, type RunStep, RUN_UNSETTLED_MAX } from '@hamlet/contract';
import { type RawBuilder, sql } from 'kysely';
import { cutPage } from '../connection/result-rows.ts';
import { type Db, lockName, type Tx } from '../connection/database.ts';
import { RUN_COLUMNS, type RunRow, IS_ITS_TURN, isSeenBy } from './run-row.ts';

/** Calls in a run's newest 1,000 events that began but have no result; at most RUN_UNSETTLED_MAX. */
export async function readUnsettledCalls(tx: Tx, runId: string): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly callId: string }>`
    with call as (
      select detail ->> 'call_id' as call_id, bool_or(event = 'call_settled') as settled, min(number) as first
      from (select event, detail, number from run_event where run_id = ${runId}
        and event in ('call_begun', 'call_settled', 'call_unknown') order by number desc limit 1000) as newest
      group by 1)
    select call_id as "callId" from call where not settled order by first limit ${RUN_UNSETTLED_MAX}`.execute(tx);
  return rows.map(({ callId }) => callId);
}

/** 1 if the run has a recorded step or a call with the outcome ok, else 0. */
export async function countEffects(tx: Tx, runId: string): Promise<number> {
  const { rows } = await sql<{ readonly effects: boolean }>`
    select exists (select from run_event where run_id = ${runId}
      and (event = 'step' or (event = 'call_settled' and detail ->> 'outcome' = 'ok'))) as effects`.execute(tx);
  return rows[0]?.effects === true ? 1 : 0;
}

/** Limit of running runs of an agent: two lanes with their workers have fewer. */
const CANCELLED_MAX = 64;

export interface RunFilter {
  readonly agentId?: string | undefined;
  readonly schedule?: string | undefined;
  readonly state?: RunState | undefined;
  /** Excludes runs of sessions without this person; undefined for all runs. */
  readonly personId?: string | undefined;
}

export interface RunEventRow {
  readonly number: number;
  readonly event: RunEventKind;
  readonly at: Date;
  readonly detail: unknown;
  readonly witnessed: boolean;
  /** Texts to which the detail refers; null if there is none or it was deleted. */
  readonly argumentsText: string | null;
  readonly resultText: string | null;
  readonly messageText: string | null;
}

export async function findRun(db: Db, runId: string): Promise<RunRow | null> {
  return (await db.selectFrom('run').select(RUN_COLUMNS).where('run_id', '=', runId).executeTakeFirst()) ?? null;
}

/** A page of runs, newest first. `before` is the last id of the previous page; ids are in the order of creation. */
export async function readRuns(
  db: Db,
  filter: RunFilter,
  page: { readonly before: string | null; readonly limit: number },
): Promise<{ readonly runs: readonly RunRow[]; readonly next: string | null }> {
  const { agentId, schedule, state, personId } = filter;
  const rows = await db
    .selectFrom('run')
    .select(RUN_COLUMNS)
    .$if(agentId !== undefined, (query) => query.where('agent_id', '=', agentId ?? ''))
    .$if(schedule !== undefined, (query) => query.where('schedule_name', '=', schedule ?? ''))
    .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'queued'))
    .$if(personId !== undefined, (query) => query.where(isSeenBy(personId ?? '')))
    .$if(page.before !== null, (query) => query.where('run_id', '<', page.before ?? ''))
    .orderBy('run_id', 'desc')
    .limit(page.limit + 1)
    .execute();
  const { rows: runs, next } = cutPage(rows, page.limit, ({ runId }) => runId);
  return { runs, next };
}

/**
 * The run on which a life of an agent must work: the running one, else the oldest queued one whose session does not
 * hold it and whose model may answer again. Excludes workers, which their parents start.
 */
export async function readNextRun(
  db: Db,
  {
    agentId,
    uid: agentUid,
    lane,
  }: { readonly agentId: string; readonly uid: string; readonly lane?: RunLane | undefined },
): Promise<RunRow | null> {
  const row = await db
    .selectFrom('run')
    .select(RUN_COLUMNS)
    .where('agent_id', '=', agentId)
    .where('agent_uid', '=', agentUid)
    .where('state', 'in', ['queued', 'running'])
    .where('kind', '<>', 'worker')
    .$if(lane !== undefined, (query) => query.where('kind', lane === 'message' ? '=' : '<>', 'message'))
    .where(IS_ITS_TURN)
    .where(sql<boolean>`(state <> 'queued' or parked_until is null or parked_until <= clock_timestamp())`)
    .orderBy(sql`state = 'queued'`)
    .orderBy('run_id')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

export async function readRunEvents(
  db: Db,
  runId: string,
  page: { readonly after: number; readonly limit: number },
): Promise<readonly RunEventRow[]> {
  const { rows } = await sql<RunEventRow>`
    select number, event, at, detail, witnessed,
      ${textOf('arguments_ref')} as "argumentsText", ${textOf('result_ref')} as "resultText", ${textOf('message_ref')} as "messageText"
    from run_event join run using (run_id)
    where run_id = ${runId} and number > ${page.after} order by number limit ${page.limit}`.execute(db);
  return rows;
}

function textOf(key: 'arguments_ref' | 'result_ref' | 'message_ref'): RawBuilder<string | null> {
  return sql`(select payload.text from payload where payload.agent_uid = run.agent_uid and payload.ref = run_event.detail ->> ${sql.lit(key)})`;
}

export async function readRunSteps(db: Db, runId: string): Promise<readonly RunStep[]> {
  const rows = await db
    .selectFrom('run_event')
    .select('detail')
    .where('run_id', '=', runId)
    .where('event', '=', 'step')
    .orderBy('number')
    .execute();
  return rows.map(({ detail }) => detail as RunStep);
}

/** The running runs of one life of an agent that a person wants to end, oldest first. */
export async function readCancelledRuns(db: Db, agentId: string, agentUid: string): Promise<readonly RunRow[]> {
  return db
    .selectFrom('run')
    .select(RUN_COLUMNS)
    .where('agent_id', '=', agentId)
    .where('agent_uid', '=', agentUid)
    .where('state', '=', 'running')
    .where('cancel_requested_at', 'is not', null)
    .orderBy('run_id')
    .limit(CANCELLED_MAX)
    .execute();
}

/** Counts an agent's runs in flight, except `besides` and its workers. Locks the count; call it before locking any row of `run`. */
export async function countRunsInFlight(tx: Tx, agentId: string, besides: string): Promise<number> {
  await lockName(tx, `runs in flight ${agentId}`);
  const { count } = await tx
    .selectFrom('run')
    .select((expression) => expression.fn.countAll<number>().as('count'))
    .where('agent_id', '=', agentId)
    .where('state', '=', 'running')
    .where('kind', '<>', 'worker')
    .where('run_id', '<>', besides)
    .executeTakeFirstOrThrow();
  return count;
}

/** The number of events of each of these runs; runs that do not exist are left out. */
export async function readEventCounts(db: Db, runIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('run')
    .select(['run_id', 'events'])
    .where('run_id', '=', sql<string>`any(${[...runIds]}::uuid[])`)
    .execute();
  return new Map(rows.map(({ run_id, events }) => [run_id, events]));
}

export async function readRunsById(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, RunRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('run')
    .select(RUN_COLUMNS)
    .where(sql<boolean>`run_id = any(${[...ids]}::uuid[])`)
    .execute();
  return new Map(rows.map((row) => [row.runId, row]));
}
