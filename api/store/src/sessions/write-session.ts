import { sql } from 'kysely';
import { lockName, type Tx } from '../connection/database.ts';
import { UNDER_WAY } from '../runs/run-row.ts';
import { RUN_CHANGES_CHANNEL } from '../runs/change-run.ts';
import { findChatSession } from './read-sessions.ts';
import type { ChatSessionRow, Person } from './session-row.ts';

interface NewChatSession {
  readonly agentId: string;
  readonly title: string | null;
  readonly repository: { readonly url: string; readonly branch: string } | null;
  readonly by: { readonly role: 'member' | 'admin'; readonly id: string };
  readonly people: readonly Person[];
}

export async function insertChatSession(tx: Tx, session: NewChatSession): Promise<ChatSessionRow> {
  const { sessionId } = await tx
    .insertInto('session')
    .values({
      agent_id: session.agentId,
      title: session.title,
      repository_url: session.repository?.url ?? null,
      repository_branch: session.repository?.branch ?? null,
      created_by_role: session.by.role,
      created_by_id: session.by.id,
    })
    .returning('session_id as sessionId')
    .executeTakeFirstOrThrow();
  for (const person of session.people) await insertSessionPerson(tx, sessionId, person);
  return readBack(tx, sessionId);
}

async function readBack(tx: Tx, sessionId: string): Promise<ChatSessionRow> {
  const row = await findChatSession(tx, sessionId);
  if (row === null) throw new Error(`the session ${sessionId} does not exist`);
  return row;
}

export async function insertSessionPerson(tx: Tx, sessionId: string, { id, name }: Person): Promise<void> {
  await tx
    .insertInto('session_person')
    .values({ session_id: sessionId, person_id: id, name })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function deleteSessionPerson(tx: Tx, sessionId: string, personId: string): Promise<void> {
  await tx.deleteFrom('session_person').where('session_id', '=', sessionId).where('person_id', '=', personId).execute();
}

/** Makes streams of the session's open runs check their readers' permission again. */
export async function hintRunsOfSession(tx: Tx, sessionId: string): Promise<void> {
  await tx
    .selectFrom('run')
    .select(sql`pg_notify(${RUN_CHANGES_CHANNEL}, run_id::text)`.as('notified'))
    .where('session_id', '=', sessionId)
    .where('state', 'in', UNDER_WAY)
    .execute();
}

/**
 * Serializes writes of people to a session. Call it before locking any run, because agents lock a run first and the row
 * of its session later. Null if there is no such session.
 */
export async function lockChatSession(tx: Tx, sessionId: string): Promise<ChatSessionRow | null> {
  await lockName(tx, `session ${sessionId}`);
  return findChatSession(tx, sessionId);
}

/** Serializes the creation of sessions with an agent, so that their limits hold. */
export async function lockSessionsOf(tx: Tx, agentId: string): Promise<void> {
  await lockName(tx, `sessions of ${agentId}`);
}

export async function setPaused(tx: Tx, sessionId: string, paused: boolean): Promise<ChatSessionRow> {
  await tx
    .updateTable('session')
    .set({ paused_at: paused ? sql<Date>`coalesce(paused_at, now())` : null })
    .where('session_id', '=', sessionId)
    .execute();
  return readBack(tx, sessionId);
}

export async function setTerminated(tx: Tx, sessionId: string): Promise<ChatSessionRow> {
  await tx
    .updateTable('session')
    .set({ terminated_at: sql<Date>`coalesce(terminated_at, now())`, paused_at: null })
    .where('session_id', '=', sessionId)
    .execute();
  return readBack(tx, sessionId);
}
