import { sql } from 'kysely';
import type { WorldEvent } from '@hamlet/contract';
import { inTransaction } from '../connection/database.ts';
import type { Db, Tx } from '../connection/database.ts';
import type { MoveChunk } from './append.ts';
import { FencedError } from './append.ts';

export interface Snapshot {
  readonly seq: number;
  readonly tick: number;
  readonly stateHash: string;
  /** As core's snapshotWorld wrote it, compressed by the caller. */
  readonly state: Uint8Array;
}

const KEPT_SNAPSHOTS = 8;

/** When the village began (tick 0) and the seed of everything random in it. */
export async function readVillage(db: Db): Promise<{ readonly genesisMs: number; readonly seed: number; readonly streamEpoch: string; readonly nowMs: number }> {
  const row = await db.selectFrom('village').select(['genesis', 'seed', 'stream_epoch', sql<Date>`clock_timestamp()`.as('now')]).executeTakeFirstOrThrow();
  return { genesisMs: row.genesis.getTime(), seed: row.seed, streamEpoch: row.stream_epoch, nowMs: row.now.getTime() };
}

/** The newest snapshot older than `beforeSeq`; null where there is none. */
export async function newestSnapshot(db: Db, beforeSeq: number): Promise<Snapshot | null> {
  const row = await db.selectFrom('world_snapshot').selectAll().where('seq', '<', beforeSeq).orderBy('seq', 'desc').limit(1).executeTakeFirst();
  return row === undefined ? null : { seq: row.seq, tick: row.tick, stateHash: row.state_hash, state: row.state };
}

/** Keeps a snapshot under the writer's epoch, and the last eight of them. */
export async function saveSnapshot(db: Db, epoch: number, snapshot: Snapshot): Promise<void> {
  await inTransaction(db, async (tx) => {
    await holdLease(tx, epoch);
    await tx
      .insertInto('world_snapshot')
      .values({ seq: snapshot.seq, tick: snapshot.tick, epoch, state_hash: snapshot.stateHash, state: Buffer.from(snapshot.state) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await sql`delete from world_snapshot where seq not in (select seq from world_snapshot order by seq desc limit ${KEPT_SNAPSHOTS})`.execute(tx);
  });
}

/** A snapshot that does not restore to its own hash is of no use to anybody. */
export async function dropSnapshot(db: Db, seq: number): Promise<void> {
  await db.deleteFrom('world_snapshot').where('seq', '=', seq).execute();
}

async function holdLease(tx: Tx, epoch: number): Promise<void> {
  const lease = await tx.selectFrom('world_lease').select('epoch').where('epoch', '=', epoch).forShare().executeTakeFirst();
  if (lease === undefined) throw new FencedError(epoch);
}

/** Events after `seq` in order: those of world_event as they are, the packed ones as chunks to be unpacked and merged by seq. */
export interface Tail {
  readonly events: readonly WorldEvent[];
  readonly chunks: readonly Uint8Array[];
}

/** What was committed after `seq`, read at one moment; at most `limit` rows of either table. */
export async function readTail(db: Db, seq: number, limit: number): Promise<Tail> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const events = await tx.selectFrom('world_event').select('event').where('seq', '>', seq).orderBy('seq').limit(limit).execute();
      const chunks = await tx.selectFrom('world_move_chunk').select('packed').where('seq_to', '>', seq).orderBy('seq_to').limit(limit).execute();
      return { events: events.map((row) => row.event as WorldEvent), chunks: chunks.map((row) => row.packed) };
    });
}

/** The last seq that is durable; 0 in a new village. */
export async function lastSeq(db: Db): Promise<number> {
  const { rows } = await sql<{ seq: number }>`
    select greatest((select coalesce(max(seq), 0) from world_event), (select coalesce(max(seq_to), 0) from world_move_chunk)) as seq`.execute(db);
  return rows[0]?.seq ?? 0;
}

/** The chunks that lie wholly in (after, upTo], oldest first, at most `limit`. */
export async function readChunks(db: Db, range: { readonly after: number; readonly upTo: number; readonly limit: number }): Promise<readonly MoveChunk[]> {
  const rows = await db
    .selectFrom('world_move_chunk')
    .selectAll()
    .where('seq_from', '>', range.after)
    .where('seq_to', '<=', range.upTo)
    .orderBy('seq_from')
    .limit(range.limit)
    .execute();
  return rows.map((row) => ({
    seqFrom: row.seq_from,
    seqTo: row.seq_to,
    tickFrom: row.tick_from,
    tickTo: row.tick_to,
    count: row.count,
    packed: row.packed,
  }));
}

/** Puts one chunk in the place of many that hold the same events. */
export async function replaceChunks(db: Db, epoch: number, chunk: MoveChunk): Promise<void> {
  await inTransaction(db, async (tx) => {
    await holdLease(tx, epoch);
    await tx.deleteFrom('world_move_chunk').where('seq_from', '>=', chunk.seqFrom).where('seq_to', '<=', chunk.seqTo).execute();
    const { seqFrom, seqTo, tickFrom, tickTo, count, packed } = chunk;
    await tx
      .insertInto('world_move_chunk')
      .values({ seq_from: seqFrom, seq_to: seqTo, tick_from: tickFrom, tick_to: tickTo, epoch, count, packed: Buffer.from(packed) })
      .execute();
  });
}
