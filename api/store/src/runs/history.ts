import { WORKERS_KEPT } from '@hamlet/contract';
import { type RawBuilder, sql } from 'kysely';
import { type Db, inTransaction, type Tx } from '../connection/database.ts';
import { lockEndedTrees } from './lock-order.ts';
import type { RunRow } from './run-row.ts';

const PROMPT_RUNS_KEPT = 1_000;
/** Maximum number of stored firings per Schedule: two days at one every ten seconds. */
const FIRINGS_KEPT = 20_000;
/** Days without a firing after which the database forgets a Schedule, its firings and runs. */
const FORGOTTEN_AFTER_DAYS = 90;
/** Maximum number of runs that one transaction deletes, with their workers. */
const AT_ONCE = 500;
/** Maximum number of transactions for one list of runs in one round of pruning. */
const ROUNDS_MAX = 20;

const HAS_ENDED = sql`run.state in ('done', 'failed', 'cancelled')`;

/** An ended run stays until its last worker has ended, at any depth. For a query of `run`. */
const HAS_NO_ACTIVE_WORKER = sql`not exists (
  select from run child where child.parent_run_id = run.run_id and (child.state in ('queued', 'running', 'waiting_permission') or exists (
    select from run grandchild where grandchild.parent_run_id = child.run_id and grandchild.state in ('queued', 'running', 'waiting_permission'))))`;

/**
 * Deletes ended runs, with their workers and all that belongs to them. At most 500 runs; returns their
 * number without their workers.
 * @param locked whether it skips or awaits runs that another transaction has locked
 */
export async function deleteEndedRuns(
  tx: Tx,
  which: RawBuilder<unknown>,
  locked: 'skip' | 'wait' = 'skip',
): Promise<number> {
  const ended = sql`${HAS_ENDED} and ${HAS_NO_ACTIVE_WORKER} and ${which}`;
  const ids = await lockEndedTrees(tx, { which: ended, limit: AT_ONCE, locked });
  if (ids.length > 0) await sql`delete from run where run_id = any(${ids}::uuid[])`.execute(tx);
  return ids.length;
}

/** Deletes ended runs of a Schedule beyond its limit. The caller has locked its row. */
export async function pruneScheduleRuns(tx: Tx, scheduleUid: string, historyLimit: number): Promise<void> {
  const { rows } = await sql<{ readonly cutOff: string }>`
    select run_id as "cutOff" from run where schedule_uid = ${scheduleUid} and ${HAS_ENDED}
    order by run_id desc offset ${historyLimit} limit 1`.execute(tx);
  const [cut] = rows;
  if (cut !== undefined) await deleteEndedRuns(tx, sql`schedule_uid = ${scheduleUid} and run_id <= ${cut.cutOff}`);
}

/** Prunes the ended runs of the Schedule of a run that ends. Other runs: {@link pruneRuns}. */
export async function pruneScheduleOf(tx: Tx, { scheduleUid }: Pick<RunRow, 'scheduleUid'>): Promise<void> {
  if (scheduleUid === null) return;
  const state = await tx
    .selectFrom('schedule_state')
    .select('history_limit')
    .where('schedule_uid', '=', scheduleUid)
    .executeTakeFirst();
  if (state !== undefined) await pruneScheduleRuns(tx, scheduleUid, state.history_limit);
}

interface KeptRuns {
  readonly of: RawBuilder<unknown>;
  readonly kept: number;
}

const OF_PEOPLE: KeptRuns = { of: sql`schedule_uid is null and kind <> 'worker'`, kept: PROMPT_RUNS_KEPT };
const WORKERS: KeptRuns = { of: sql`kind = 'worker'`, kept: WORKERS_KEPT };
const HAS_NO_OPEN_OFFER = sql`not exists (select from run_offer where run_offer.run_id = run.run_id and run_offer.state = 'open')`;

/**
 * Each agent with more ended runs than are kept, and the newest run to delete. Reads at most `kept` runs of each agent.
 */
async function readCutOffs(
  db: Db,
  { of, kept }: KeptRuns,
): Promise<readonly { readonly agentId: string; readonly cutOff: string }[]> {
  const { rows } = await sql<{ readonly agentId: string; readonly cutOff: string }>`
    with recursive agent as (
      (select agent_id from run order by agent_id limit 1)
      union all
      select (select run.agent_id from run where run.agent_id > agent.agent_id order by run.agent_id limit 1)
      from agent where agent.agent_id is not null)
    select agent.agent_id as "agentId", cut.run_id as "cutOff" from agent cross join lateral (
      select run_id from run where run.agent_id = agent.agent_id and ${of} and ${HAS_ENDED}
      order by run_id desc offset ${kept} limit 1) cut`.execute(db);
  return rows;
}

/** Deletes the ended runs and workers of each agent beyond those that are kept. Several replicas may do so at once. */
export async function pruneRuns(db: Db): Promise<void> {
  for (const kind of [WORKERS, OF_PEOPLE])
    for (const { agentId, cutOff } of await readCutOffs(db, kind)) {
      const which = sql`agent_id = ${agentId} and run_id <= ${cutOff} and ${kind.of} and ${HAS_NO_OPEN_OFFER}`;
      await deleteInRounds(db, which);
    }
}

/** Deletes the ended runs of one life of an agent, at most 10,000. Runs with an open offer stay. */
export async function deleteEndedRunsOfLife(
  db: Db,
  { agentId, agentUid }: Pick<RunRow, 'agentId' | 'agentUid'>,
): Promise<void> {
  await deleteInRounds(db, sql`agent_id = ${agentId} and agent_uid = ${agentUid} and ${HAS_NO_OPEN_OFFER}`);
}

async function deleteInRounds(db: Db, which: RawBuilder<unknown>): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round += 1)
    if ((await inTransaction(db, (tx) => deleteEndedRuns(tx, which))) < AT_ONCE) return;
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
  await deleteInRounds(
    db,
    sql`schedule_uid is not null and not exists (select from schedule_state where schedule_state.schedule_uid = run.schedule_uid)`,
  );
}
