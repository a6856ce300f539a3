import type { RunState, TaintSource } from '@hamlet/contract';
import { type RawBuilder, type Selection, sql } from 'kysely';
import { COLUMNS, type Tables } from '../connection/tables.generated.ts';

export interface TextReader {
  readonly role: string;
  readonly id: string;
}

/** True if the person may read the texts of the row `run`, like `seesTexts` in the API. */
export const seesTexts = ({ role, id }: TextReader): RawBuilder<boolean> => sql<boolean>`(case
  when run.session_id is not null then exists (select from session_person p where p.session_id = run.session_id and p.person_id = ${id})
  else ${role}::text = 'admin' or (run.created_by_role = ${role} and run.created_by_id = ${id}) end)`;

/**
 * For a query of `run`: true from the first start until the end. A run that is parked, or whose lease has lapsed, is queued again, while
 * its programs may continue.
 */
export const HAS_BEGUN = sql<boolean>`(run.state in ('running', 'waiting_permission') or (run.state = 'queued' and run.cycle is not null))`;

/** True unless the run's session holds it: by a pause or an earlier open message. For a query of `run`. */
export const IS_ITS_TURN = sql<boolean>`(run.state <> 'queued' or run.session_id is null or not exists (
  select from session_message mine join session on session.session_id = mine.session_id
  where mine.run_id = run.run_id and mine.author_role in ('member', 'admin') and (session.paused_at is not null or exists (
    select from session_message earlier
    where earlier.session_id = mine.session_id and earlier.state in ('queued', 'working') and earlier.number < mine.number))))`;

/** True for a run without a session, or of a session with this person. For a query of `run`. */
export function isSeenBy(personId: string): RawBuilder<boolean> {
  return sql<boolean>`(run.session_id is null or exists (
    select from session_person where session_person.session_id = run.session_id and person_id = ${personId}))`;
}

/** A taint mark of a run, as the database returns it in JSON. */
export interface TaintRow {
  readonly source: TaintSource;
  readonly detail: string;
  readonly callId: string | null;
  readonly fromRunId: string | null;
  readonly at: string;
}

/** The marks of the run of a query, oldest first; null if it has none. */
export const TAINT_OF_RUN: RawBuilder<readonly TaintRow[] | null> = sql`(
  select jsonb_agg(jsonb_build_object('source', source, 'detail', detail, 'callId', call_id, 'fromRunId', from_run_id, 'at', at) order by at, source)
  from run_taint where run_taint.run_id = run.run_id)`;

/** The name of the account that gave the run of a query; null for another giver, and for an account that is gone. */
const NAME_OF_GIVER: RawBuilder<string | null> = sql`(
  select account.name from account where account.account_id = case
    when run.created_by_id ~ '^account [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then substr(run.created_by_id, 9)::uuid end)`;

export const RUN_COLUMNS = [...COLUMNS.run, TAINT_OF_RUN.as('taint'), NAME_OF_GIVER.as('createdByName')] as const;
export type RunRow = Readonly<Selection<Tables, 'run', (typeof RUN_COLUMNS)[number]>>;

export const UNDER_WAY = ['queued', 'running', 'waiting_permission'] as const satisfies readonly RunState[];
