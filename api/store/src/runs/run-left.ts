import type { RunBudgets } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
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
  readonly left: { readonly steps: number; readonly tokens: number; readonly costMicros: number } | null;
}

interface RunLeftRow {
  readonly runId: string;
  readonly isEnding: boolean;
  readonly budgets: RunBudgets | null;
  readonly steps: number;
  readonly tokens: number;
  readonly costMicros: number;
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
      (asked.tokens + coalesce(workers.tokens, 0) + (
        select coalesce(sum(reserved_tokens), 0) from model_request
        where agent_id = ${agentId} and model_request.run_id = asked.run_id and outcome = 'under_way' and started_at > now() - interval '1 hour'
      ))::float8 as tokens,
      (asked.cost_micros + coalesce(workers.cost_micros, 0))::float8 as "costMicros"
    from asked left join lateral (
      select sum(case when is_active then (tree.budgets ->> 'tokens')::bigint else tree.tokens end) as tokens,
        sum(case when is_active then ((tree.budgets ->> 'money')::numeric * 1000000)::bigint else tree.cost_micros end) as cost_micros
      from tree) workers on true`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const { budgets, steps, tokens, costMicros, ...rest } = row;
  if (budgets === null) return { ...rest, left: null };
  const left = {
    steps: budgets.steps - steps,
    tokens: budgets.tokens - tokens,
    costMicros: Number(budgets.money) * 1_000_000 - costMicros,
  };
  return { ...rest, left };
}
