import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { readBars } from '../standing/bars.ts';
import type { HeldBar } from '../standing/bars.ts';

/** Whom an agent token stands for, and the newest cycle that this life is known to be in. */
export interface AgentSession {
  readonly jti: string;
  readonly agentId: string;
  readonly uid: string;
  readonly podUid: string | null;
  readonly cycle: number;
  readonly currentCycle: number;
  /** Whether its token was taken back; it stays refused. */
  readonly revoked: boolean;
  /** What holds against its agent. */
  readonly bar: HeldBar | null;
}

export interface NewAgentSession {
  readonly tokenHash: Uint8Array;
  readonly jti: string;
  readonly agentId: string;
  readonly uid: string;
  /** The pod that exchanged its token; null where there is no cluster to ask. */
  readonly podUid: string | null;
  readonly cycle: number;
  readonly expiresAt: Date;
}

export async function insertAgentSession(db: Db, session: NewAgentSession): Promise<void> {
  await db
    .insertInto('agent_session')
    .values({
      token_hash: Buffer.from(session.tokenHash),
      jti: session.jti,
      agent_id: session.agentId,
      uid: session.uid,
      pod_uid: session.podUid,
      cycle: session.cycle,
      expires_at: session.expiresAt,
    })
    .execute();
}

/** The session of a token, with what holds against its agent; null where it is unknown, over, or its life has ended. */
export async function findAgentSession(db: Db, tokenHash: Uint8Array): Promise<AgentSession | null> {
  const row = await db
    .selectFrom('agent_session')
    .innerJoin('agent_life', 'agent_life.uid', 'agent_session.uid')
    .select(['jti', 'agent_session.agent_id as agentId', 'agent_session.uid', 'agent_session.pod_uid as podUid', 'agent_session.cycle', 'agent_life.cycle as currentCycle'])
    .select(sql<boolean>`revoked_at is not null`.as('revoked'))
    .where('token_hash', '=', Buffer.from(tokenHash))
    .where('expires_at', '>', sql<Date>`now()`)
    .where('closed_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return null;
  return { ...row, bar: (await readBars(db, [row.agentId])).get(row.agentId) ?? null };
}

/** Revokes every token of an agent at once. */
export async function revokeAgentSessions(db: Db, agentId: string): Promise<void> {
  await db.updateTable('agent_session').set({ revoked_at: sql`now()` }).where('agent_id', '=', agentId).where('revoked_at', 'is', null).execute();
}

/** Forgets tokens that ended an hour ago; nobody can use them either way. */
export async function forgetEndedAgentSessions(db: Db): Promise<void> {
  await db.deleteFrom('agent_session').where('expires_at', '<', sql<Date>`now() - interval '1 hour'`).execute();
}
