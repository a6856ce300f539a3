import { sql } from 'kysely';
import { asColumns } from '../connection/as-columns.ts';
import { byHash } from '../connection/result-rows.ts';
import type { Db } from '../connection/database.ts';
import { prepared } from '../connection/guarded-pool.ts';
import { type AgentBar, BAR_COLUMNS, type BarColumns, barOf, hardestBar } from '../standing/measures.ts';

/** The agent that owns a token. `currentCycle`: the newest known cycle of its life. */
interface AgentSession {
  readonly jti: string;
  readonly agentId: string;
  readonly uid: string;
  readonly podUid: string | null;
  readonly cycle: number;
  readonly currentCycle: number;
  /** True if the token was revoked; the API refuses it permanently. */
  readonly revoked: boolean;
  /** The most severe measure against the agent; null if there is none. */
  readonly bar: AgentBar | null;
}

/** A new session. `podUid`: the pod that exchanged its token; null in a village without a cluster. */
interface NewAgentSession extends Pick<AgentSession, 'jti' | 'agentId' | 'uid' | 'podUid' | 'cycle'> {
  readonly tokenHash: Uint8Array;
  readonly expiresAt: Date;
}

export async function insertAgentSession(db: Db, session: NewAgentSession): Promise<void> {
  await db.insertInto('agent_session').values(asColumns(session)).execute();
}

/** The session of each token, in the order of `tokenHashes`; null for an unknown or expired token, or an ended life. */
export async function findAgentSessions(
  db: Db,
  tokenHashes: readonly Buffer[],
): Promise<readonly (AgentSession | null)[]> {
  const { rows } = await sql<
    Omit<AgentSession, 'bar'> & BarColumns & { readonly hash: Buffer }
  >`${prepared('agent_session')}
    select session.token_hash as hash, session.jti, session.agent_id as "agentId", session.uid, session.pod_uid as "podUid", session.cycle,
      life.cycle as "currentCycle", session.revoked_at is not null as revoked, ${BAR_COLUMNS}
    from agent_session as session join agent_life as life using (uid)
    left join lateral ${hardestBar(sql`session.agent_id`)} on true
    where session.token_hash = any(${tokenHashes}) and session.expires_at > now() and life.closed_at is null`.execute(
    db,
  );
  return byHash(tokenHashes, rows).map((row) => {
    if (row === null) return null;
    const { jti, agentId, uid, podUid, cycle, currentCycle, revoked } = row;
    return { jti, agentId, uid, podUid, cycle, currentCycle, revoked, bar: barOf(row) };
  });
}

export async function revokeAgentSessions(db: Db, agentId: string): Promise<void> {
  await db
    .updateTable('agent_session')
    .set({ revoked_at: sql`now()` })
    .where('agent_id', '=', agentId)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Deletes sessions that expired more than an hour ago. */
export async function forgetEndedAgentSessions(db: Db): Promise<void> {
  await db
    .deleteFrom('agent_session')
    .where('expires_at', '<', sql<Date>`now() - interval '1 hour'`)
    .execute();
}
