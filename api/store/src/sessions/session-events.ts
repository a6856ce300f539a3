import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { COLUMNS, type Row } from '../connection/tables.generated.ts';
import type { PermissionRow } from '../permissions/permissions.ts';
import type { MessageRow } from './session-row.ts';

/** Channel that announces a change of a session; the payload is the session's id. */
export const SESSION_EVENTS_CHANNEL = 'session_event';

export const SESSION_EVENTS_KEPT = 5_000;

/** A change of a session, which names the changed thing. */
export type SessionEventRow = Omit<Row<'session_event'>, 'sessionId'>;

/** The numbers of the first and last stored event; `first` is `last + 1` if none is stored. Null without a session. */
export async function sessionEventRange(
  db: Db,
  sessionId: string,
): Promise<{ readonly first: number; readonly last: number } | null> {
  const row = await db
    .selectFrom('session')
    .select([
      'events as last',
      sql<number>`coalesce((select min(number) from session_event where session_event.session_id = session.session_id), events + 1)`.as(
        'first',
      ),
    ])
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
  return row ?? null;
}

export async function readSessionEvents(
  db: Db,
  sessionId: string,
  page: { readonly after: number; readonly limit: number },
): Promise<readonly SessionEventRow[]> {
  return db
    .selectFrom('session_event')
    .select(['number', 'kind', 'object_id as objectId', 'run_event as runEvent'])
    .where('session_id', '=', sessionId)
    .where('number', '>', page.after)
    .orderBy('number')
    .limit(page.limit)
    .execute();
}

export async function readMessagesById(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, MessageRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('session_message')
    .select(COLUMNS.session_message)
    .where(sql<boolean>`message_id = any(${[...ids]}::uuid[])`)
    .execute();
  return new Map(rows.map((row) => [row.messageId, row]));
}

export async function readPermissionsById(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, PermissionRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('permission')
    .select(COLUMNS.permission)
    .where(sql<boolean>`permission_id = any(${[...ids]}::uuid[])`)
    .execute();
  return new Map(rows.map((row) => [row.permissionId, row]));
}

/** Deletes events beyond the newest SESSION_EVENTS_KEPT of a session; streams that are further behind must restart. */
export async function forgetSessionEvents(db: Db): Promise<void> {
  await sql`
    delete from session_event using session
    where session.session_id = session_event.session_id and session.events > ${SESSION_EVENTS_KEPT}
      and session_event.number <= session.events - ${SESSION_EVENTS_KEPT}`.execute(db);
}
