import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { cutPage, type Page } from '../connection/result-rows.ts';
import { RUN_COLUMNS, type RunRow } from '../runs/run-row.ts';
import { selectSessions, type ChatSessionRow } from './session-row.ts';

/** A session, run or firing of an agent. Ids are in the order of creation. */
export interface TimelinePlace {
  readonly kind: 'session' | 'run' | 'firing';
  readonly id: string;
}

interface TimelineFilter {
  readonly agentId: string;
  readonly sessionId: string | null;
  /** Restricts to sessions of this person; null for all. */
  readonly personId: string | null;
}

/** A page of the sessions, runs and firings of an agent, newest first; with `sessionId`, only that session and its runs. */
export async function readTimeline(
  db: Db,
  { agentId, sessionId, personId }: TimelineFilter,
  page: { readonly before: string | null; readonly limit: number },
): Promise<Page<TimelinePlace, string>> {
  const limit = page.limit + 1;
  const seen = sql`(${personId}::text is null or exists (
    select from session_person p where p.session_id = made.session_id and p.person_id = ${personId}))`;
  const before = (id: string) =>
    page.before === null ? sql`true` : sql`${sql.ref(`made.${id}`)} < ${page.before}::uuid`;
  const { rows } = await sql<TimelinePlace>`
    select kind, id from (
      (select 'session' as kind, made.session_id as id from session made
        where made.agent_id = ${agentId} and ${before('session_id')} and ${seen}
          and (${sessionId}::uuid is null or made.session_id = ${sessionId}::uuid)
        order by made.session_id desc limit ${limit})
      union all
      (select 'run', made.run_id from run made
        where made.agent_id = ${agentId} and ${before('run_id')} and (made.session_id is null or ${seen})
          and (${sessionId}::uuid is null or made.session_id = ${sessionId}::uuid)
        order by made.run_id desc limit ${limit})
      union all
      (select 'firing', made.firing_id from firing made
        where made.runs @> ${JSON.stringify([{ agent_id: agentId }])}::jsonb and ${before('firing_id')}
          and ${sessionId}::uuid is null
        order by made.firing_id desc limit ${limit})) entry
    order by id desc limit ${limit}`.execute(db);
  return cutPage(rows, page.limit, ({ id }) => id);
}

export interface FiringOfAgent {
  readonly firingId: string;
  readonly scheduleUid: string;
  readonly slot: Date;
  readonly firedAt: Date;
  readonly runId: string | null;
  readonly outcome: string;
}

export async function readFiringsOf(
  db: Db,
  agentId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, FiringOfAgent>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<FiringOfAgent>`
    select firing_id as "firingId", schedule_uid as "scheduleUid", slot, fired_at as "firedAt",
      fired ->> 'run_id' as "runId", fired ->> 'outcome' as outcome
    from firing cross join lateral jsonb_array_elements(runs) fired
    where firing_id = any(${[...ids]}::uuid[]) and fired ->> 'agent_id' = ${agentId}`.execute(db);
  return new Map(rows.map((row) => [row.firingId, row]));
}

export async function readRunsById(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, RunRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('run')
    .select(RUN_COLUMNS)
    .where(sql<boolean>`run_id = any(${[...ids]}::uuid[])`)
    .execute();
  return new Map(rows.map((row) => [row.runId, row]));
}

export async function readSessionsById(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, ChatSessionRow>> {
  if (ids.length === 0) return new Map();
  const rows = await selectSessions(db)
    .where(sql<boolean>`session.session_id = any(${[...ids]}::uuid[])`)
    .execute();
  return new Map(rows.map((row) => [row.sessionId, row]));
}
