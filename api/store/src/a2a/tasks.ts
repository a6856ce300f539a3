import type { RunState } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { cutPage } from '../connection/result-rows.ts';
import { COLUMNS } from '../connection/tables.generated.ts';
import type { PermissionRow } from '../permissions/permissions.ts';
import { RUN_COLUMNS, type RunRow } from '../runs/run-row.ts';

const TOTAL_MAX = 10_000;
const PENDING_OF_RUN_MAX = 8;

const IS_ASKING = sql<boolean>`exists (
  select from permission where permission.run_id = run.run_id and permission.state = 'pending' and expires_at > clock_timestamp())`;

/** The agent's answers to the messages of runs, by run. */
export async function readAnswersOfRuns(db: Db, runIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (runIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('session_message')
    .select(['run_id as runId', 'text'])
    .where(sql<boolean>`run_id = any(${[...runIds]}::uuid[])`)
    .where('author_role', '=', 'agent')
    .where('in_reply_to', 'is not', null)
    .execute();
  return new Map(rows.map(({ runId, text }) => [runId ?? '', text]));
}

/** The requests of runs that wait for a person, by run, oldest first; at most 8 of each run. */
export async function readPendingOfRuns(
  db: Db,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, readonly PermissionRow[]>> {
  if (runIds.length === 0) return new Map();
  const wanted = sql<{ readonly id: string }>`unnest(${[...runIds]}::uuid[])`.as<'wanted'>(sql`wanted (id)`);
  const rows = await db
    .selectFrom(wanted)
    .innerJoinLateral(
      (of) =>
        of
          .selectFrom('permission')
          .select(COLUMNS.permission)
          .whereRef('run_id', '=', 'wanted.id')
          .where('state', '=', 'pending')
          .where(sql<boolean>`expires_at > clock_timestamp()`)
          .orderBy('permission_id')
          .limit(PENDING_OF_RUN_MAX)
          .as('pending'),
      (join) => join.onTrue(),
    )
    .selectAll('pending')
    .orderBy('permissionId')
    .execute();
  return Map.groupBy(rows, ({ runId }) => runId);
}

export interface TaskFilter {
  readonly agentId: string;
  /** Only runs of sessions of this person. */
  readonly personId: string;
  readonly sessionId: string | null;
  /** The states of the runs; null for all. */
  readonly states: readonly RunState[] | null;
  /** True: only runs that wait for a person; false: only others; null: both. */
  readonly asking: boolean | null;
  /** Only runs that began, started or ended after this time. */
  readonly after: Date | null;
}

function selectTasks(db: Db, { agentId, personId, sessionId, states, asking, after }: TaskFilter) {
  return db
    .selectFrom('run')
    .where('agent_id', '=', agentId)
    .where('kind', '=', 'message')
    .where(
      sql<boolean>`exists (select from session_person p where p.session_id = run.session_id and p.person_id = ${personId})`,
    )
    .$if(sessionId !== null, (query) => query.where('session_id', '=', sessionId ?? ''))
    .$if(states !== null, (query) => query.where('state', 'in', states ?? []))
    .$if(asking === true, (query) => query.where(IS_ASKING))
    .$if(asking === false, (query) => query.where(sql<boolean>`not ${IS_ASKING}`))
    .$if(after !== null, (query) =>
      query.where(
        sql<boolean>`coalesce(ended_at, started_at, created_at) > ${after?.toISOString() ?? ''}::timestamptz`,
      ),
    );
}

/** A page of the runs of a person's messages to an agent, newest first, and their number, counted up to 10,000. */
export async function readTasks(
  db: Db,
  filter: TaskFilter,
  page: { readonly before: string | null; readonly limit: number },
): Promise<{ readonly runs: readonly RunRow[]; readonly next: string | null; readonly total: number }> {
  const rows = await selectTasks(db, filter)
    .select(RUN_COLUMNS)
    .$if(page.before !== null, (query) => query.where('run_id', '<', page.before ?? ''))
    .orderBy('run_id', 'desc')
    .limit(page.limit + 1)
    .execute();
  const { total } = await db
    .selectFrom(selectTasks(db, filter).select('run_id').limit(TOTAL_MAX).as('task'))
    .select((of) => of.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const { rows: runs, next } = cutPage(rows, page.limit, ({ runId }) => runId);
  return { runs, next, total };
}
