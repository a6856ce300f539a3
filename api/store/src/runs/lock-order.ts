/**
 * The one order in which transactions lock rows. Transactions that keep it never deadlock; Postgres may end one that cannot, and
 * `inTransaction` then repeats it.
 *
 *  1. names (`lockName`), such as the session that people write to, and `schedule_state`; then `workflow_manifests`, by hash
 *  2. `run`: by depth, then by id, so that a parent comes before its workers. All runs that a transaction may change are locked before
 *     the first event of any of them, because an event locks the session.
 *  3. rows that belong to a run: permission, effect, call of the hands, offer, `journal_size`, journal, texts. Locked only under the lock
 *     of their run, or of the ended run that they are deleted with.
 *  4. the board's posts, auctions and windows
 *  5. money: hour of the models, open holds, `ledger.account` by id, then the allowance of the day
 *  6. `model_request`
 *  7. tiers of agents (`agent_tier`, by id)
 *  8. the order of internal events (`lockInternalEvents`)
 *  9. `session`: numbers its events, so its row stays locked until the commit
 *
 * Runs are locked with FOR NO KEY UPDATE. The second update of a worker in one transaction checks its reference to its parent again, which
 * takes FOR KEY SHARE on the parent: that waits for FOR UPDATE, against the order.
 *
 * Tables that a freeze of the village closes are locked in the same order: `run`, `ledger.account`, `model_request`.
 */
import { WORKER_DEPTH_MAX } from '@hamlet/core';
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../connection/database.ts';
import { RUN_COLUMNS, type RunRow, UNDER_WAY } from './run-row.ts';

/** Locks a run after the row of its Schedule, if that still exists. For a command that may end or cancel it: {@link lockRunTree}. */
export async function lockRun(tx: Tx, runId: string): Promise<RunRow | null> {
  const known = await tx.selectFrom('run').select('schedule_uid').where('run_id', '=', runId).executeTakeFirst();
  if (known === undefined) return null;
  if (known.schedule_uid !== null)
    await tx
      .selectFrom('schedule_state')
      .select('schedule_uid')
      .where('schedule_uid', '=', known.schedule_uid)
      .forNoKeyUpdate()
      .execute();
  return (
    (await tx.selectFrom('run').select(RUN_COLUMNS).where('run_id', '=', runId).forNoKeyUpdate().executeTakeFirst()) ??
    null
  );
}

/** Locks a run, then its workers under way, level by level. */
export async function lockRunTree(tx: Tx, runId: string): Promise<RunRow | null> {
  const run = await lockRun(tx, runId);
  if (run !== null) await lockWorkersBelow(tx, [runId]);
  return run;
}

/** Locks the workers under way of locked runs, and theirs. A locked run begins no worker, so none is missed. */
export async function lockWorkersBelow(tx: Tx, runIds: readonly string[]): Promise<void> {
  for (let parents = runIds; parents.length > 0;) parents = await lockWorkersOf(tx, parents);
}

async function lockWorkersOf(tx: Tx, parents: readonly string[]): Promise<readonly string[]> {
  const rows = await tx
    .selectFrom('run')
    .select('run_id')
    .where('parent_run_id', '=', sql<string>`any(${[...parents]}::uuid[])`)
    .where('state', 'in', UNDER_WAY)
    .orderBy('run_id')
    .forNoKeyUpdate()
    .execute();
  return rows.map(({ run_id }) => run_id);
}

interface EndedTrees {
  /** A condition on `run`. */
  readonly which: RawBuilder<unknown>;
  readonly limit: number;
  /** `skip`: leaves out runs that another transaction has locked. `wait`: waits for them. */
  readonly locked: 'skip' | 'wait';
}

/**
 * Locks ended runs, then all their workers, then the sizes of their journals: storing a journal locks its size before its rows. Returns
 * the ids of the runs without their workers.
 */
export async function lockEndedTrees(tx: Tx, { which, limit, locked }: EndedTrees): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly runId: string; readonly agentUid: string }>`
    select run_id as "runId", agent_uid as "agentUid" from run where ${which}
    order by depth, run_id limit ${limit} for update ${locked === 'skip' ? sql`skip locked` : sql``}`.execute(tx);
  const ids = rows.map(({ runId }) => runId);
  for (let parents = ids; parents.length > 0;) {
    const below = await sql<{ readonly runId: string }>`
      select run_id as "runId" from run where parent_run_id = any(${parents}::uuid[]) order by run_id for update`.execute(
      tx,
    );
    parents = below.rows.map(({ runId }) => runId);
  }
  const lives = [...new Set(rows.map(({ agentUid }) => agentUid))];
  await sql`select from journal_size where agent_uid = any(${lives}::text[]) order by agent_uid for update`.execute(tx);
  return ids;
}

/** Locks the runs of a Schedule that have not ended. The caller has locked the Schedule's row. */
export async function lockRunsOfSchedule(tx: Tx, scheduleUid: string): Promise<readonly RunRow[]> {
  return tx
    .selectFrom('run')
    .select(RUN_COLUMNS)
    .where('schedule_uid', '=', scheduleUid)
    .where('state', 'in', UNDER_WAY)
    .orderBy('run_id')
    .forNoKeyUpdate()
    .execute();
}

/** Locks all runs of a session that have not ended, workers too. The caller has locked the name of the session. */
export async function lockRunsOfSession(tx: Tx, sessionId: string): Promise<readonly RunRow[]> {
  const runs: RunRow[] = [];
  for (let depth = 0; depth <= WORKER_DEPTH_MAX; depth += 1)
    runs.push(
      ...(await tx
        .selectFrom('run')
        .select(RUN_COLUMNS)
        .where('session_id', '=', sessionId)
        .where('depth', '=', depth)
        .where('state', 'in', UNDER_WAY)
        .orderBy('run_id')
        .forNoKeyUpdate()
        .execute()),
    );
  return runs;
}
