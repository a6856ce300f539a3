import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';

/** The people who take part in the sessions, or in the sessions to which the runs belong. `isOpen`: a run stands outside all sessions, so its people are unknown. */
export interface Concerned {
  readonly people: readonly string[];
  readonly isOpen: boolean;
}

export async function readConcerned(
  db: Db,
  { runIds, sessionIds }: Readonly<Record<'runIds' | 'sessionIds', readonly string[]>>,
): Promise<Concerned> {
  const { rows } = await sql<Concerned>`
    with of_runs as (select session_id from run where run_id = any(${[...runIds]}::uuid[])),
    sessions as (
      select session_id from of_runs where session_id is not null union select unnest(${[...sessionIds]}::uuid[]))
    select
      array(select distinct person_id from session_person join sessions using (session_id)) as "people",
      exists (select from of_runs where session_id is null) as "isOpen"`.execute(db);
  return rows[0] ?? { people: [], isOpen: false };
}
