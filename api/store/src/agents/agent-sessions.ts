import { sql } from 'kysely';
import { byHash } from '../connection/result-rows.ts';
import type { Db } from '../connection/database.ts';
import { type AgentBar, readBars } from '../standing/measures.ts';

/** The agent that a token belongs to. `currentCycle`: the newest known cycle of its life. */
export interface AgentSession {
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

export interface NewAgentSession {
  readonly tokenHash: Uint8Array;
  readonly jti: string;
  readonly agentId: string;
  readonly uid: string;
  /** Uid of the pod that exchanged its token; null in a village without a cluster. */
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

/** The session of each token, in the order of `tokenHashes`; null for an unknown or expired token, or an ended life. */
export async function findAgentSessions(
  db: Db,
  tokenHashes: readonly Buffer[],
): Promise<readonly (AgentSession | null)[]> {
  const rows = await db
    .selectFrom('agent_session')
    .innerJoin('agent_life', 'agent_life.uid', 'agent_session.uid')
    .select([
      'token_hash as hash',
      'jti',
      'agent_session.agent_id as agentId',
      'agent_session.uid',
      'agent_session.pod_uid as podUid',
      'agent_session.cycle',
      'agent_life.cycle as currentCycle',
    ])
    .select(sql<boolean>`revoked_at is not null`.as('revoked'))
    .where(sql<boolean>`token_hash = any(${tokenHashes})`)
    .where('expires_at', '>', sql<Date>`now()`)
    .where('closed_at', 'is', null)
    .execute();
  const bars = await readBars(db, [...new Set(rows.map(({ agentId }) => agentId))]);
  return byHash(tokenHashes, rows).map((row) => {
    if (row === null) return null;
    const { hash: _hash, ...session } = row;
    return { ...session, bar: bars.get(row.agentId) ?? null };
  });
}

/** Revokes every token of an agent at once. */
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
