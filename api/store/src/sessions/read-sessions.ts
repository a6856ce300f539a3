import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { cutPage, type Page } from '../connection/result-rows.ts';
import { COLUMNS, type Row } from '../connection/tables.generated.ts';
import { selectSessions, type ChatSessionRow, type MessageRow, type Person } from './session-row.ts';

export async function findChatSession(db: Db, sessionId: string): Promise<ChatSessionRow | null> {
  return (await selectSessions(db).where('session.session_id', '=', sessionId).executeTakeFirst()) ?? null;
}

/** A page of an agent's sessions, newest first. @param filter.personId null for sessions of all people */
export async function readSessionsOf(
  db: Db,
  filter: { readonly agentId: string; readonly personId: string | null },
  page: { readonly before: string | null; readonly limit: number },
): Promise<Page<ChatSessionRow, string>> {
  const { agentId, personId } = filter;
  const rows = await selectSessions(db)
    .where('session.agent_id', '=', agentId)
    .$if(personId !== null, (query) =>
      query.where(
        sql<boolean>`exists (select from session_person where session_person.session_id = session.session_id and person_id = ${personId})`,
      ),
    )
    .$if(page.before !== null, (query) => query.where('session.session_id', '<', page.before ?? ''))
    .orderBy('session.session_id', 'desc')
    .limit(page.limit + 1)
    .execute();
  return cutPage(rows, page.limit, ({ sessionId }) => sessionId);
}

export async function readMessages(
  db: Db,
  sessionId: string,
  page: { readonly before: number | null; readonly limit: number },
): Promise<Page<MessageRow, number>> {
  const rows = await db
    .selectFrom('session_message')
    .select(COLUMNS.session_message)
    .where('session_id', '=', sessionId)
    .$if(page.before !== null, (query) => query.where('number', '<', page.before ?? 0))
    .orderBy('number', 'desc')
    .limit(page.limit + 1)
    .execute();
  return cutPage(rows, page.limit, ({ number }) => number);
}

interface OpenSessions {
  readonly ofAgent: number;
  readonly ofPerson: number;
}

export async function countOpenSessions(db: Db, agentId: string, createdById: string): Promise<OpenSessions> {
  return db
    .selectFrom('session')
    .select([
      sql<number>`count(*)`.as('ofAgent'),
      sql<number>`count(*) filter (where created_by_id = ${createdById})`.as('ofPerson'),
    ])
    .where('agent_id', '=', agentId)
    .where('terminated_at', 'is', null)
    .executeTakeFirstOrThrow();
}

/** Enabled accounts with these names, by lower-case name. */
export async function findPeopleByName(
  db: Db,
  names: readonly string[],
): Promise<ReadonlyMap<string, Pick<Row<'account'>, 'accountId' | 'name' | 'role'>>> {
  if (names.length === 0) return new Map();
  const wanted = names.map((name) => name.toLowerCase());
  const rows = await db
    .selectFrom('account')
    .select(['account_id as accountId', 'name', 'role', sql<string>`lower(name)`.as('key')])
    .where(sql<boolean>`lower(name) = any(${wanted})`)
    .where('disabled_at', 'is', null)
    .execute();
  return new Map(rows.map(({ key, ...person }) => [key, person]));
}

/** A person with the present role of their account or API key. */
export interface PersonInRole extends Person {
  readonly role: 'member' | 'admin';
}

export interface PersonOfRun extends PersonInRole {
  /** True if the person joined the session after the run, or the run whose worker it is, was given. */
  readonly joinedLater: boolean;
}

/**
 * The people whom a run in a session serves: those of the session, and the run's author, who may have left it. Someone without an
 * account or a valid API key counts as a member.
 */
export async function readPeopleOfRun(
  db: Db,
  {
    runId,
    sessionId,
    createdById,
  }: { readonly runId: string; readonly sessionId: string; readonly createdById: string },
): Promise<readonly PersonOfRun[]> {
  const { rows } = await sql<PersonOfRun>`
    with recursive line as (
      select parent_run_id, created_at from run where run_id = ${runId}
      union all
      select run.parent_run_id, run.created_at from run join line on run.run_id = line.parent_run_id
    ),
    served as (
      select person_id as id, name,
        person_id <> ${createdById} and added_at > (select min(created_at) from line) as "joinedLater"
      from session_person where session_id = ${sessionId}
      union all
      select ${createdById}, '', false where not exists (
        select from session_person where session_id = ${sessionId} and person_id = ${createdById})
    )
    select served.id, coalesce(account.name, nullif(served.name, ''), served.id) as name, served."joinedLater",
      case when 'admin' in (account.role, key.role) then 'admin' else 'member' end as role
    from served
    left join account on account.account_id = substring(served.id from '^account ([0-9a-f-]{36})$')::uuid
    left join lateral (
      select role from api_key where 'key ' || api_key.name = served.id and role in ('member', 'admin') and revoked_at is null
      order by role limit 1) key on true`.execute(db);
  return rows;
}

/** True once an hour for each admin and session: the caller then records in the audit that the admin read it. */
export async function noteLook(db: Db, sessionId: string, adminId: string): Promise<boolean> {
  const rows = await db
    .insertInto('session_look')
    .values({ session_id: sessionId, admin_id: adminId })
    .onConflict((conflict) =>
      conflict
        .columns(['session_id', 'admin_id'])
        .doUpdateSet({ looked_at: sql`clock_timestamp()` })
        .where(sql<boolean>`session_look.looked_at < clock_timestamp() - interval '1 hour'`),
    )
    .returning('session_id')
    .execute();
  return rows.length > 0;
}

export async function sessionsOfPerson(db: Db, personId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('session_person')
    .select('session_id as sessionId')
    .where('person_id', '=', personId)
    .where(sql<boolean>`session_id = any(${[...ids]}::uuid[])`)
    .execute();
  return new Set(rows.map(({ sessionId }) => sessionId));
}
