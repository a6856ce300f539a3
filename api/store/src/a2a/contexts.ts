import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';

/** Records that an A2A call opened a session. */
export async function noteContext(
  db: Db,
  { sessionId, agentId, personId }: { readonly sessionId: string; readonly agentId: string; readonly personId: string },
): Promise<void> {
  await db
    .insertInto('a2a_context')
    .values({ session_id: sessionId, agent_id: agentId, person_id: personId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The longest idle session of a person with an agent, of those that A2A calls opened; null if there is none. */
export async function findIdleContext(db: Db, agentId: string, personId: string): Promise<string | null> {
  const row = await db
    .selectFrom('a2a_context')
    .innerJoin('session', 'session.session_id', 'a2a_context.session_id')
    .select('session.session_id as sessionId')
    .where('a2a_context.agent_id', '=', agentId)
    .where('a2a_context.person_id', '=', personId)
    .where('session.terminated_at', 'is', null)
    .where(
      sql<boolean>`not exists (
        select from session_message m where m.session_id = session.session_id and m.state in ('queued', 'working'))`,
    )
    .orderBy('session.last_at')
    .limit(1)
    .executeTakeFirst();
  return row?.sessionId ?? null;
}
