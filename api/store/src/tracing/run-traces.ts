import { type Selection, sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import type { Tables } from '../connection/tables.generated.ts';

/** Maximum number of workers above a run. */
const DEPTH_MAX = 16;
/** Maximum number of rows of each kind that the trace of one run shows: the first ones. */
const ROWS_MAX = 500;

export interface RunTraceRoot {
  readonly runId: string;
  /** The run itself; for a worker, the top run. */
  readonly rootId: string;
  /** The header of the request that created the root; null if none did, or if the village had no traces then. */
  readonly traceparent: string | null;
}

/** `endedOnly`: leaves out runs that have not ended. */
export async function readRunTraceRoots(
  db: Db,
  runIds: readonly string[],
  { endedOnly }: { readonly endedOnly: boolean },
): Promise<readonly RunTraceRoot[]> {
  if (runIds.length === 0) return [];
  const { rows } = await sql<RunTraceRoot>`
    with recursive above as (
      select run_id, run_id as root_id, parent_run_id, 0 as steps from run
      where run_id = any(${[...runIds]}::uuid[]) and (ended_at is not null or not ${endedOnly})
      union all
      select above.run_id, parent.run_id, parent.parent_run_id, above.steps + 1
      from above join run as parent on parent.run_id = above.parent_run_id where above.steps < ${DEPTH_MAX}
    )
    select above.run_id as "runId", above.root_id as "rootId", queued.detail ->> 'traceparent' as traceparent
    from above left join run_event as queued on queued.run_id = above.root_id and queued.number = 1
    where above.parent_run_id is null
    order by above.run_id`.execute(db);
  return rows;
}

const REQUEST = [
  'request_id as requestId',
  'model',
  'provider',
  'outcome',
  'prompt_tokens as promptTokens',
  'completion_tokens as completionTokens',
  'started_at as startedAt',
  'ended_at as endedAt',
] as const;
const CALL = [
  'call_id as callId',
  'tool',
  sql<string | null>`outcome ->> 'kind'`.as('kind'),
  sql<string | null>`outcome ->> 'code'`.as('code'),
  'begun_at as begunAt',
  'settled_at as settledAt',
] as const;
const ATTEMPT = [
  'attempt_id as attemptId',
  'call_id as callId',
  'host',
  'port',
  'method',
  'status',
  'refused',
  'cut_off as cutOff',
  'begun_at as begunAt',
  'ended_at as endedAt',
] as const;
const RUN = [
  'agent_id as agentId',
  'kind',
  'state',
  'session_id as sessionId',
  'attempt',
  'error_code as errorCode',
  'created_at as createdAt',
  'started_at as startedAt',
  'ended_at as endedAt',
  'parent_run_id as parentRunId',
  'parent_call_id as parentCallId',
] as const;

export type TracedRequest = Readonly<Selection<Tables, 'model_request', (typeof REQUEST)[number]>>;
/** A call of a tool. `kind`, `code`: of its outcome; null without one. */
export type TracedCall = Readonly<Selection<Tables, 'effect', (typeof CALL)[number]>>;
export type TracedAttempt = Readonly<Selection<Tables, 'egress_attempt', (typeof ATTEMPT)[number]>>;

/** An ended run with what its trace shows, which has no texts. */
export type TracedRun = RunTraceRoot &
  Omit<Readonly<Selection<Tables, 'run', (typeof RUN)[number]>>, 'endedAt'> & {
    readonly endedAt: Date;
    readonly requests: readonly TracedRequest[];
    readonly calls: readonly TracedCall[];
    readonly attempts: readonly TracedAttempt[];
  };

const requestsOf = (db: Db, runId: string): Promise<readonly TracedRequest[]> =>
  db
    .selectFrom('model_request')
    .select(REQUEST)
    .where('run_id', '=', runId)
    .where('outcome', 'not in', ['under_way', 'not_paid', 'rate_limited'])
    .orderBy('request_id')
    .limit(ROWS_MAX)
    .execute();

const callsOf = (db: Db, runId: string): Promise<readonly TracedCall[]> =>
  db
    .selectFrom('effect')
    .select(CALL)
    .where('run_id', '=', runId)
    .orderBy('begun_at')
    .orderBy('call_id')
    .limit(ROWS_MAX)
    .execute();

/** A program of an agent can claim any run, so claims that the API did not see itself stay out. */
const attemptsOf = (db: Db, runId: string): Promise<readonly TracedAttempt[]> =>
  db
    .selectFrom('egress_attempt')
    .select(ATTEMPT)
    .where('run_id', '=', runId)
    .where('run_witnessed', '=', true)
    .orderBy('kept_at')
    .orderBy('attempt_id')
    .limit(ROWS_MAX)
    .execute();

/** Reads an ended run for its trace; null for one that has not ended. */
export async function readTracedRun(db: Db, root: RunTraceRoot): Promise<TracedRun | null> {
  const { runId } = root;
  const run = await db.selectFrom('run').select(RUN).where('run_id', '=', runId).executeTakeFirst();
  if (run === undefined || run.endedAt === null) return null;
  const { endedAt } = run;
  const [requests, calls, attempts] = await Promise.all([
    requestsOf(db, runId),
    callsOf(db, runId),
    attemptsOf(db, runId),
  ]);
  return { ...run, ...root, endedAt, requests, calls, attempts };
}
