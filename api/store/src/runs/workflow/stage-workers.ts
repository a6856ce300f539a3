import type { WorkerStage } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Db } from '../../connection/database.ts';

/** A worker of a stage, with its usage and that of its own workers. */
export interface StageWorker {
  readonly runId: string;
  readonly stage: WorkerStage;
  readonly tokens: number;
  readonly costMicros: number;
}

/** The workers of the stages of a run, oldest first. */
export async function readStageWorkers(db: Db, runId: string): Promise<readonly StageWorker[]> {
  const { rows } = await sql<StageWorker>`
    with recursive tree as (
      select run_id as top, run_id, tokens, cost_micros, claimed_tokens, claimed_cost_micros from run
      where parent_run_id = ${runId} and stage is not null
      union all
      select tree.top, child.run_id, child.tokens, child.cost_micros, child.claimed_tokens, child.claimed_cost_micros
      from run child join tree on child.parent_run_id = tree.run_id)
    select run.run_id as "runId", run.stage, used.tokens, used."costMicros" from run join (
      select top, sum(case when tokens > 0 or cost_micros > 0 then tokens else claimed_tokens end)::float8 as tokens,
        sum(case when tokens > 0 or cost_micros > 0 then cost_micros else claimed_cost_micros end)::float8 as "costMicros"
      from tree group by top) used on used.top = run.run_id
    order by run.run_id`.execute(db);
  return rows;
}
