import type { RunBudgets } from '@hamlet/contract';
import { sql } from 'kysely';
import { lockName, type Db, type Tx } from '../connection/database.ts';
import { prepared } from '../connection/guarded-pool.ts';
import { HAS_BEGUN, UNDER_WAY } from './run-row.ts';

/** For a query of `run`: true while the agent works on it or it waits for people. A queued run has no budgets yet. */
const IS_ACTIVE = sql<boolean>`state in ('running', 'waiting_permission')`;

/**
 * Model requests allowed per step: a step may ask again or summarize. Bounds a pod that records no steps.
 */
const REQUESTS_PER_STEP = 2;
/** For a query of `model_request`: true if a provider was asked, as far as is known. A request ended without tokens reached none. */
const REACHED_PROVIDER = sql<boolean>`(outcome in ('done', 'under_way', 'lost') or prompt_tokens + completion_tokens > 0)`;

/** A run, and what its own use, its requests in progress and the shares of its workers leave of its budgets. */
export interface RunLeft {
  readonly runId: string;
  /** True once the run has ended or is being cancelled. */
  readonly isEnding: boolean;
  /** Null for a run without budgets, which an older API began. */
  readonly left: BudgetsLeft | null;
}

export interface BudgetsLeft {
  readonly steps: number;
  /** Without the tokens of the hour that requests in progress reserve. */
  readonly tokens: number;
  readonly costMicros: number;
  /** The part that no request in progress may use. */
  readonly free: { readonly tokens: number; readonly costMicros: number };
  /** Tokens that no request has used yet. */
  readonly unspentTokens: number;
}

interface RunLeftRow {
  readonly runId: string;
  readonly isEnding: boolean;
  readonly budgets: RunBudgets | null;
  readonly steps: number;
  readonly tokens: number;
  readonly costMicros: number;
  /** Requests in progress reserve these tokens of the hour, and may use this much of the budgets. */
  readonly reserved: number;
  readonly promised: number;
  readonly promisedMicros: number;
}

/**
 * The run to which a request of an agent's life is charged: `runId` while it is in progress, otherwise the newest run in progress,
 * otherwise the newest one that has begun and is parked, otherwise `runId` in any state; null without any of these. A worker's budgets are part of its parent's, so checking a run
 * also covers its ancestors.
 */
export async function readRunLeft(
  db: Db,
  { agentId, agentUid, runId }: { readonly agentId: string; readonly agentUid: string; readonly runId: string | null },
): Promise<RunLeft | null> {
  const { rows } = await sql<RunLeftRow>`${prepared('read_run_left')}
    with recursive asked as (
      select run_id, state, cancel_requested_at, ended_at, budgets, steps, tokens, cost_micros from run
      where agent_id = ${agentId} and agent_uid = ${agentUid} and (${HAS_BEGUN} or run_id = ${runId}::uuid)
      order by (${IS_ACTIVE} and run_id = ${runId}::uuid) is true desc, ${IS_ACTIVE} desc, ${HAS_BEGUN} desc, run_id desc limit 1
    ), tree as (
      select run.run_id as top, run.run_id, run.tokens, run.cost_micros, run.state in (${sql.join(UNDER_WAY)}) as is_active, run.budgets
      from run join asked on run.parent_run_id = asked.run_id
      union all
      select tree.top, child.run_id, child.tokens, child.cost_micros, false, null from run child join tree on child.parent_run_id = tree.run_id
      where not tree.is_active
    )
    select asked.run_id as "runId", asked.ended_at is not null or asked.cancel_requested_at is not null as "isEnding", asked.budgets,
      greatest(asked.steps, (
        select count(*) from model_request where model_request.run_id = asked.run_id and ${REACHED_PROVIDER}) / ${REQUESTS_PER_STEP})::float8 as steps,
      (asked.tokens + coalesce(workers.tokens, 0))::float8 as tokens,
      (asked.cost_micros + coalesce(workers.cost_micros, 0))::float8 as "costMicros",
      open.reserved, open.promised, open.micros as "promisedMicros"
    from asked cross join lateral (
      select coalesce(sum(reserved_tokens), 0)::float8 as reserved, coalesce(sum(coalesce(run_tokens, reserved_tokens)), 0)::float8 as promised,
        coalesce(sum(run_micros), 0)::float8 as micros
      from model_request
      where agent_id = ${agentId} and model_request.run_id = asked.run_id and outcome = 'under_way' and started_at > now() - interval '1 hour'
    ) open left join lateral (
      select sum(case when is_active then (tree.budgets ->> 'tokens')::bigint else tree.tokens end) as tokens,
        sum(case when is_active then ((tree.budgets ->> 'money')::numeric * 1000000)::bigint else tree.cost_micros end) as cost_micros
      from tree) workers on true`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const { runId: counted, isEnding, budgets } = row;
  return { runId: counted, isEnding, left: budgets === null ? null : leftOf(budgets, row) };
}

function leftOf(budgets: RunBudgets, row: RunLeftRow): BudgetsLeft {
  const unspentTokens = budgets.tokens - row.tokens;
  const costMicros = Number(budgets.money) * 1_000_000 - row.costMicros;
  return {
    steps: budgets.steps - row.steps,
    tokens: unspentTokens - row.reserved,
    costMicros,
    free: { tokens: unspentTokens - row.promised, costMicros: costMicros - row.promisedMicros },
    unspentTokens,
  };
}

/**
 * Locks the budgets of a run, so that the requests of its programs take their parts one after another. The caller reads what is left
 * after the lock, and notes the part of its request with `takeOfRun`, in the same transaction.
 */
export const lockBudgets = (tx: Tx, runId: string): Promise<void> => lockName(tx, `budgets of run ${runId}`);

/** Notes what a request may use of the budgets of its run until it ends. */
export async function takeOfRun(
  tx: Tx,
  requestId: string,
  { tokens, micros }: { readonly tokens: number; readonly micros: bigint },
): Promise<void> {
  await tx
    .updateTable('model_request')
    .set({ run_tokens: tokens, run_micros: Number(micros) })
    .where('request_id', '=', requestId)
    .execute();
}
