import { WORKER_ARTIFACTS_MAX, WORKERS_KEPT, type RunBudgets } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { RUN_COLUMNS, type RunRow, UNDER_WAY, isSeenBy } from './run-row.ts';

/** Limit of an agent's unfinished workers, which depth and width never reach. */
const LISTED_MAX = 2 * WORKERS_KEPT;

interface WorkerUse {
  readonly tokens: number;
  readonly costMicros: number;
}

interface WorkerTakings extends WorkerUse {
  readonly active: number;
}

interface WorkerPart extends WorkerUse {
  readonly isActive: boolean;
  readonly budgets: RunBudgets;
}

async function readWorkerParts(tx: Tx, parentRunId: string): Promise<readonly WorkerPart[]> {
  const { rows } = await sql<WorkerPart>`
    with recursive tree as (
      select run_id as top, run_id, tokens, cost_micros, claimed_tokens, claimed_cost_micros from run where parent_run_id = ${parentRunId}
      union all
      select tree.top, child.run_id, child.tokens, child.cost_micros, child.claimed_tokens, child.claimed_cost_micros
      from run child join tree on child.parent_run_id = tree.run_id)
    select run.state in ('queued', 'running', 'waiting_permission') as "isActive", run.budgets,
      used.tokens::float8 as tokens, used.cost_micros::float8 as "costMicros"
    from run join (
      select top, sum(case when tokens > 0 or cost_micros > 0 then tokens else claimed_tokens end) as tokens,
        sum(case when tokens > 0 or cost_micros > 0 then cost_micros else claimed_cost_micros end) as cost_micros
      from tree group by top) used on used.top = run.run_id`.execute(tx);
  return rows;
}

/** Sums the usage of a run's workers so far, of those that still work too. */
export async function readWorkerUse(tx: Tx, parentRunId: string): Promise<WorkerUse> {
  const parts = await readWorkerParts(tx, parentRunId);
  return parts.reduce<WorkerUse>(
    (sum, part) => ({ tokens: sum.tokens + part.tokens, costMicros: sum.costMicros + part.costMicros }),
    { tokens: 0, costMicros: 0 },
  );
}

/** Sums the budgets of a run's active workers, and the usage of its ended ones including their workers. */
export async function readWorkerTakings(
  tx: Tx,
  parentRunId: string,
  microsOf: (money: string) => number,
): Promise<WorkerTakings> {
  const parts = await readWorkerParts(tx, parentRunId);
  return parts.reduce<WorkerTakings>(
    ({ active, tokens, costMicros }, part) => ({
      active: active + (part.isActive ? 1 : 0),
      tokens: tokens + (part.isActive ? part.budgets.tokens : part.tokens),
      costMicros: costMicros + (part.isActive ? microsOf(part.budgets.money) : part.costMicros),
    }),
    { active: 0, tokens: 0, costMicros: 0 },
  );
}

/** The workers of a run that have not ended. The caller has locked them with the run (`lockRunTree`). */
export async function readWorkersUnderWay(tx: Tx, parentRunId: string): Promise<readonly string[]> {
  const rows = await tx
    .selectFrom('run')
    .select('run_id')
    .where('parent_run_id', '=', parentRunId)
    .where('state', 'in', UNDER_WAY)
    .orderBy('run_id')
    .execute();
  return rows.map(({ run_id }) => run_id);
}

interface WorkerFilter {
  readonly agentId: string;
  readonly activeOnly: boolean;
  readonly runId?: string | undefined;
  readonly parentRunId?: string | undefined;
  /** Excludes workers of sessions without this person; undefined for all. */
  readonly personId?: string | undefined;
}

export async function readWorkers(db: Db, filter: WorkerFilter): Promise<readonly RunRow[]> {
  const { agentId, activeOnly, runId, parentRunId, personId } = filter;
  return db
    .selectFrom('run')
    .select(RUN_COLUMNS)
    .where('agent_id', '=', agentId)
    .where('kind', '=', 'worker')
    .$if(activeOnly, (query) => query.where('state', 'in', UNDER_WAY))
    .$if(runId !== undefined, (query) => query.where('run_id', '=', runId ?? ''))
    .$if(parentRunId !== undefined, (query) => query.where('parent_run_id', '=', parentRunId ?? ''))
    .$if(personId !== undefined, (query) => query.where(isSeenBy(personId ?? '')))
    .orderBy('run_id', 'desc')
    .limit(LISTED_MAX)
    .execute();
}

export interface DenialRow {
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  /** The words of the denial; an outcome as JSON if only the agent's journal has them. Null if they were deleted. */
  readonly text: string | null;
}

const DENIALS_MAX = 8;

/** The first denied calls of each of these runs. */
export async function readDenials(db: Db, runIds: readonly string[]): Promise<readonly DenialRow[]> {
  if (runIds.length === 0) return [];
  const { rows } = await sql<DenialRow>`
    select "runId", "callId", tool, text from (
      select run_id as "runId", number, detail ->> 'call_id' as "callId", coalesce(detail ->> 'tool', '') as tool,
        coalesce(detail ->> 'result_text', (select payload.text from payload
          where payload.agent_uid = run.agent_uid and payload.ref = run_event.detail ->> 'result_ref')) as text,
        row_number() over (partition by run_id order by number) as place
      from run_event join run using (run_id)
      where run_id = any(${[...runIds]}::uuid[]) and event = 'call_settled' and detail ->> 'outcome' = 'denied') as denied
    where place <= ${DENIALS_MAX} order by "runId", number`.execute(db);
  return rows;
}

export interface ArtifactRow {
  readonly runId: string;
  readonly kind: 'link' | 'file';
  readonly at: string;
}

/** Pages of the village that calls of these runs created, and files that they changed. */
export async function readArtifacts(db: Db, runIds: readonly string[]): Promise<readonly ArtifactRow[]> {
  if (runIds.length === 0) return [];
  const { rows } = await sql<ArtifactRow>`
    select "runId", kind, at from (
      select made.*, row_number() over (partition by "runId" order by call_id) as number from (
        select run_id as "runId", call_id, 'link' as kind, outcome -> 'data' ->> 'link' as at from effect
        where run_id = any(${[...runIds]}::uuid[]) and outcome ->> 'kind' = 'ok' and outcome -> 'data' ->> 'link' is not null
        union
        select run_id, min(call_id), 'file', left(report ->> 'path', 4096) from hands_call
        where run_id = any(${[...runIds]}::uuid[]) and report ->> 'path' is not null and report ->> 'diff' is not null
        group by run_id, report ->> 'path') made) numbered
    where number <= ${WORKER_ARTIFACTS_MAX} order by number`.execute(db);
  return rows;
}
