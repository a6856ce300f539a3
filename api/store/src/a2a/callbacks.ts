import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { COLUMNS, type Row } from '../connection/tables.generated.ts';
import { RUN_COLUMNS, type RunRow } from '../runs/run-row.ts';

export type CallbackRow = Row<'a2a_callback'>;
type NewCallback = Pick<CallbackRow, 'runId' | 'callbackId' | 'agentId' | 'url' | 'token' | 'version'>;

/** The callbacks of a task, oldest first. */
export async function readCallbacks(db: Db, runId: string): Promise<readonly CallbackRow[]> {
  return db
    .selectFrom('a2a_callback')
    .select(COLUMNS.a2a_callback)
    .where('run_id', '=', runId)
    .orderBy('created_at')
    .execute();
}

/** Stores a callback, or replaces the one of its id by one that knows no state yet. The caller has locked the run. */
export async function putCallback(
  tx: Tx,
  { runId, callbackId, agentId, url, token, version }: NewCallback,
): Promise<void> {
  await tx
    .insertInto('a2a_callback')
    .values({ run_id: runId, callback_id: callbackId, agent_id: agentId, url, token, version })
    .onConflict((conflict) =>
      conflict
        .columns(['run_id', 'callback_id'])
        .doUpdateSet({ url, token, version, failures: 0, sent_state: null, due_at: sql<Date>`clock_timestamp()` }),
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

/**
 * Callbacks whose run has new events, or whose last delivery failed, with their run. No other
 * claim returns them for `forS` seconds.
 */
export async function claimCallbacks(
  db: Db,
  { limit, forS }: { readonly limit: number; readonly forS: number },
): Promise<readonly DueCallback[]> {
  const claimed = await db
    .updateTable('a2a_callback')
    .set({ due_at: sql<Date>`clock_timestamp() + ${forS} * interval '1 second'` })
    .where(
      sql<boolean>`(run_id, callback_id) in (
        select c.run_id, c.callback_id from a2a_callback c join run on run.run_id = c.run_id
        where c.due_at <= clock_timestamp() and (c.seen_events <> run.events or c.sent_state is null)
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

/** The result of a look at a claimed callback. `dueInS`: when it may be claimed again. */
interface CallbackLook {
  readonly sentState: number | null;
  readonly seenEvents: number;
  readonly failures: number;
  readonly dueInS: number;
}

/** Notes a look, unless another callback has replaced this one meanwhile. */
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
