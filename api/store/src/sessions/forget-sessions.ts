import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { deleteEndedRuns } from '../runs/history.ts';
import { UNDER_WAY } from '../runs/run-row.ts';
import { lockChatSession } from './write-session.ts';

const AT_ONCE = 100;
/** Days for which the rows of a forgotten session stay without texts. */
export const FORGOTTEN_SESSIONS_KEPT_DAYS = 365;

/** Sessions that ended more than `days` ago and have no open run, oldest first, at most 100. */
export async function readChatsToForget(db: Db, days: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('session')
    .select('session_id as sessionId')
    .where('terminated_at', '<', sql<Date>`now() - ${days} * interval '1 day'`)
    .where('forgotten_at', 'is', null)
    .where(HAS_NO_OPEN_RUN)
    .orderBy('terminated_at')
    .limit(AT_ONCE)
    .execute();
  return rows.map(({ sessionId }) => sessionId);
}

const HAS_NO_OPEN_RUN = sql<boolean>`not exists (
  select from run where run.session_id = session.session_id and run.state in (${sql.join([...UNDER_WAY])}))`;

interface ForgottenChat {
  readonly agentId: string;
  readonly messages: number;
  /** SHA-256 in hex of the id of the session and its texts in their order. */
  readonly transcriptHash: string;
}

/** Deletes the texts of an ended session and its runs; its rows stay. Null if it is already forgotten or not ended. */
export async function forgetChat(tx: Tx, sessionId: string): Promise<ForgottenChat | null> {
  const session = await lockChatSession(tx, sessionId);
  if (session === null || session.terminatedAt === null || session.forgottenAt !== null) return null;
  const { agentId, messages } = session;
  const transcriptHash = await hashTranscript(tx, sessionId);
  const isOfSession = sql`session_id = ${sessionId}`;
  while ((await deleteEndedRuns(tx, isOfSession, 'wait')) > 0);
  await tx
    .updateTable('session_message')
    .set({ text: '', forgotten_at: sql<Date>`clock_timestamp()` })
    .where('session_id', '=', sessionId)
    .execute();
  await tx
    .updateTable('session')
    .set({
      title: null,
      repository_url: null,
      repository_branch: null,
      forgotten_at: sql<Date>`clock_timestamp()`,
    })
    .where('session_id', '=', sessionId)
    .execute();
  return { agentId, messages, transcriptHash };
}

async function hashTranscript(tx: Tx, sessionId: string): Promise<string> {
  const { rows } = await sql<{ hash: string }>`
    select encode(sha256(convert_to(${sessionId}::text || coalesce(string_agg(e'\n' || number || ' ' || author_id || ' ' || text, '' order by number), ''), 'UTF8')), 'hex') as hash
    from session_message where session_id = ${sessionId}`.execute(tx);
  return rows[0]?.hash ?? '';
}

/** Deletes the rows of sessions that were forgotten long ago. Returns their number. */
export async function deleteForgottenChats(db: Db): Promise<number> {
  const { rows } = await sql<{ sessions: number }>`
    with old as materialized (
      select session_id from session where forgotten_at < now() - ${FORGOTTEN_SESSIONS_KEPT_DAYS} * interval '1 day'
      order by forgotten_at limit ${AT_ONCE} for update skip locked),
    gone as (delete from session using old where session.session_id = old.session_id returning 1)
    select count(*) as sessions from gone`.execute(db);
  return rows[0]?.sessions ?? 0;
}
