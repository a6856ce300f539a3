import { sql } from 'kysely';
import type { Presence } from '@hamlet/contract';
import { type Db, inTransaction, type Tx } from '../connection/database.ts';
import { COLUMNS, type Row } from '../connection/tables.generated.ts';
import { addInternalEvent } from '../writes/internal-events.ts';

export type PresenceRow = Row<'agent_presence'>;

/** A wake stream that a replica serves; `streamNo` counts the streams of an agent. */
export type Stream = Omit<PresenceRow, 'connected' | 'lastSeen'>;

export function wireOf(row: PresenceRow): Presence {
  return {
    agent_id: row.agentId,
    uid: row.uid,
    cycle: row.cycle,
    connected: row.connected,
    last_seen: row.lastSeen.toISOString(),
  };
}

async function announce(tx: Tx, rows: readonly PresenceRow[]): Promise<void> {
  for (const row of rows) await addInternalEvent(tx, 'presence', wireOf(row));
}

/** Records a new stream, which replaces an earlier one. Null, and no change, if a later cycle of the life is known. */
export async function connectStream(db: Db, stream: Omit<Stream, 'streamNo'>): Promise<Stream | null> {
  return inTransaction(db, async (tx) => {
    const before = await tx
      .selectFrom('agent_presence')
      .select(COLUMNS.agent_presence)
      .where('agent_id', '=', stream.agentId)
      .forUpdate()
      .executeTakeFirst();
    const sameLife = before?.uid === stream.uid;
    if (before !== undefined && sameLife && before.cycle > stream.cycle) return null;
    const row = {
      uid: stream.uid,
      cycle: stream.cycle,
      connected: true,
      replica_id: stream.replicaId,
      stream_no: (before?.streamNo ?? 0) + 1,
    };
    const after = await tx
      .insertInto('agent_presence')
      .values({ agent_id: stream.agentId, ...row })
      .onConflict((conflict) => conflict.column('agent_id').doUpdateSet({ ...row, last_seen: sql`now()` }))
      .returning(COLUMNS.agent_presence)
      .executeTakeFirstOrThrow();
    await announce(tx, [after]);
    return after;
  });
}

/** Marks a stream as connected again, after a sweep disconnected it because its replica's heartbeat was late. */
export const assertStream = (db: Db, stream: Stream): Promise<void> => noteStream(db, stream, true);

/** Records the end of a stream, unless a newer one has replaced it. */
export const disconnectStream = (db: Db, stream: Stream): Promise<void> => noteStream(db, stream, false);

async function noteStream(db: Db, { agentId, streamNo }: Stream, connected: boolean): Promise<void> {
  await inTransaction(db, async (tx) => {
    const rows = await tx
      .updateTable('agent_presence')
      .set(connected ? { connected } : { connected, last_seen: sql`now()` })
      .where('agent_id', '=', agentId)
      .where('stream_no', '=', streamNo)
      .where('connected', '<>', connected)
      .returning(COLUMNS.agent_presence)
      .execute();
    await announce(tx, rows);
  });
}

export async function beat(db: Db, replicaId: string): Promise<void> {
  await db
    .insertInto('api_replica')
    .values({ replica_id: replicaId })
    .onConflict((conflict) => conflict.column('replica_id').doUpdateSet({ seen_at: sql`now()` }))
    .execute();
}

/** Disconnects the agents of replicas that have sent no heartbeat for `silentMs`. Returns the number of agents. */
export async function sweepSilentReplicas(db: Db, silentMs: number): Promise<number> {
  return inTransaction(db, async (tx) => {
    await tx
      .deleteFrom('api_replica')
      .where('seen_at', '<', sql<Date>`now() - ${silentMs} * interval '1 millisecond'`)
      .execute();
    const rows = await tx
      .updateTable('agent_presence')
      .set({ connected: false })
      .where('connected', '=', true)
      .where('replica_id', 'not in', tx.selectFrom('api_replica').select('replica_id'))
      .returning(COLUMNS.agent_presence)
      .execute();
    await announce(tx, rows);
    return rows.length;
  });
}

/** The presence of every agent that ever connected, or only of `agentIds`. */
export async function readPresence(db: Db, agentIds?: readonly string[]): Promise<readonly PresenceRow[]> {
  return db
    .selectFrom('agent_presence')
    .select(COLUMNS.agent_presence)
    .$if(agentIds !== undefined, (query) => query.where(sql<boolean>`agent_id = any(${agentIds})`))
    .execute();
}

/** Disconnects the stream of a life that has ended. */
export async function endPresence(db: Db, uid: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const rows = await tx
      .updateTable('agent_presence')
      .set({ connected: false })
      .where('uid', '=', uid)
      .where('connected', '=', true)
      .returning(COLUMNS.agent_presence)
      .execute();
    await announce(tx, rows);
  });
}
