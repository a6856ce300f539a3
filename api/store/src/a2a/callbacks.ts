import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { COLUMNS, type Row } from '../connection/tables.generated.ts';
import { RUN_COLUMNS, type RunRow } from '../runs/run-row.ts';

export type CallbackRow = Row<'a2a_callback'>;
type NewCallback = Pick<
  CallbackRow,
  'runId' | 'callbackId' | 'agentId' | 'personId' | 'host' | 'url' | 'token' | 'version'
>;

/** The callbacks of a task, oldest first. */
export async function readCallbacks(db: Db, runId: string): Promise<readonly CallbackRow[]> {
  return db
    .selectFrom('a2a_callback')
    .select(COLUMNS.a2a_callback)
    .where('run_id', '=', runId)
    .orderBy('created_at')
    .execute();
}

/**
 * Stores a callback, or replaces the one with its id; the receiver then counts as knowing no state. The caller has
 * locked the run.
 */
export async function putCallback(
  tx: Tx,
  { runId, callbackId, agentId, personId, host, url, token, version }: NewCallback,
): Promise<void> {
  const own = { person_id: personId, host, url, token, version };
  await tx
    .insertInto('a2a_callback')
    .values({ run_id: runId, callback_id: callbackId, agent_id: agentId, ...own })
    .onConflict((conflict) =>
      conflict
        .columns(['run_id', 'callback_id'])
        .doUpdateSet({ ...own, failures: 0, sent_state: null, due_at: sql<Date>`clock_timestamp()` }),
    )
    .execute();
}

/** False if there was no such callback. */
export async function deleteCallback(db: Db, runId: string, callbackId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('a2a_callback')
    .where('run_id', '=', runId)
    .where('callback_id', '=', callbackId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

type Delivered = Pick<CallbackRow, 'runId' | 'callbackId' | 'url' | 'token'>;

/** Ends a callback after a delivery, unless another one has replaced it meanwhile. */
export async function endCallback(db: Db, { runId, callbackId, url, token }: Delivered): Promise<void> {
  await db
    .deleteFrom('a2a_callback')
    .where('run_id', '=', runId)
    .where('callback_id', '=', callbackId)
    .where('url', '=', url)
    .where('token', '=', token)
    .execute();
}

export interface DueCallback {
  readonly callback: CallbackRow;
  readonly run: RunRow;
}

const IS_DUE = sql<boolean>`c.due_at <= clock_timestamp() and (c.seen_events <> run.events or c.sent_state is null)`;

/** Hosts with due callbacks, but not `except`: those whose deliveries succeed first, then the longest due. */
export async function readDueHosts(
  db: Db,
  { except, limit }: { readonly except: readonly string[]; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('a2a_callback as c')
    .innerJoin('run', 'run.run_id', 'c.run_id')
    .select('c.host')
    .where(IS_DUE)
    .where(sql<boolean>`c.host <> all(${[...except]}::text[])`)
    .groupBy('c.host')
    .orderBy(sql`min(c.failures)`)
    .orderBy(sql`min(c.due_at)`)
    .limit(limit)
    .execute();
  return rows.map(({ host }) => host);
}

/**
 * Callbacks at a host whose run has new events, or whose last delivery failed, with their run. No other
 * claim returns them for `forS` seconds.
 */
export async function claimCallbacks(
  db: Db,
  { host, limit, forS }: { readonly host: string; readonly limit: number; readonly forS: number },
): Promise<readonly DueCallback[]> {
  const claimed = await db
    .updateTable('a2a_callback')
    .set({ due_at: sql<Date>`clock_timestamp() + ${forS} * interval '1 second'` })
    .where(
      sql<boolean>`(run_id, callback_id) in (
        select c.run_id, c.callback_id from a2a_callback c join run on run.run_id = c.run_id
        where c.host = ${host} and ${IS_DUE}
        order by c.due_at limit ${limit} for update of c skip locked)`,
    )
    .returning(COLUMNS.a2a_callback)
    .execute();
  if (claimed.length === 0) return [];
  const rows = await db
    .selectFrom('run')
    .select(RUN_COLUMNS)
    .where(sql<boolean>`run_id = any(${claimed.map(({ runId }) => runId)}::uuid[])`)
    .execute();
  const runs = new Map(rows.map((run) => [run.runId, run]));
  return claimed.flatMap((callback) => {
    const run = runs.get(callback.runId);
    return run === undefined ? [] : [{ callback, run }];
  });
}

/** The result of a check of a claimed callback. `dueInS`: when it may be claimed again. */
interface CallbackLook {
  readonly sentState: number | null;
  readonly seenEvents: number;
  readonly failures: number;
  readonly dueInS: number;
}

/** Records that the API has checked a callback, unless another callback has replaced it. */
export async function noteCallback(
  db: Db,
  { runId, callbackId, url, token }: Delivered,
  { sentState, seenEvents, failures, dueInS }: CallbackLook,
): Promise<void> {
  await db
    .updateTable('a2a_callback')
    .set({
      sent_state: sentState,
      seen_events: seenEvents,
      failures,
      due_at: sql<Date>`clock_timestamp() + ${dueInS} * interval '1 second'`,
    })
    .where('run_id', '=', runId)
    .where('callback_id', '=', callbackId)
    .where('url', '=', url)
    .where('token', '=', token)
    .execute();
}
