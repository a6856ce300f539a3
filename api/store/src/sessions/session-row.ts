import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { COLUMNS, type Row } from '../connection/tables.generated.ts';

type Columns = Row<'session'>;

export interface Person {
  readonly id: string;
  readonly name: string;
}

export interface ChatSessionRow extends Columns {
  /** In the order in which they joined. */
  readonly people: readonly Person[];
  readonly waiting: number;
  readonly working: boolean;
}

/** The columns of a session, with its people and its open messages. */
export function selectSessions(db: Db) {
  return db
    .selectFrom('session')
    .select(COLUMNS.session)
    .select([
      sql<readonly Person[]>`coalesce((
        select json_agg(json_build_object('id', person_id, 'name', name) order by added_at, person_id)
        from session_person where session_person.session_id = session.session_id), '[]')`.as('people'),
      sql<number>`(
        select count(*) from session_message
        where session_message.session_id = session.session_id and session_message.state = 'queued')`.as('waiting'),
      sql<boolean>`exists (
        select from session_message
        where session_message.session_id = session.session_id and session_message.state = 'working')`.as('working'),
    ]);
}

export type MessageRow = Row<'session_message'>;
