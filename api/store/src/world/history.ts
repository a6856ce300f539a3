import { sql } from 'kysely';
import type { WorldEvent } from '@hamlet/contract';
import { type Db, inSnapshot, inTransaction, type Tx } from '../connection/database.ts';
import { insertChunk, lockLease, type MoveChunk } from './append.ts';

export interface Snapshot {
  readonly seq: number;
  readonly tick: number;
  readonly stateHash: string;
  /** The state from core's snapshotWorld, compressed by the caller. */
  readonly state: Uint8Array;
}

const KEPT_SNAPSHOTS = 8;

/** `genesisMs`: the time of tick 0. `seed`: the seed of the random numbers. `streamEpoch`: the epoch of the streams. */
export async function readVillage(db: Db): Promise<{
  readonly genesisMs: number;
  readonly seed: number;
  readonly streamEpoch: string;
  readonly nowMs: number;
}> {
  const row = await db
    .selectFrom('village')
    .select(['genesis', 'seed', 'stream_epoch', sql<Date>`clock_timestamp()`.as('now')])
    .executeTakeFirstOrThrow();
  return { genesisMs: row.genesis.getTime(), seed: row.seed, streamEpoch: row.stream_epoch, nowMs: row.now.getTime() };
}

/** The newest snapshot older than `beforeSeq`; null if there is none. */
export async function newestSnapshot(db: Db, beforeSeq: number): Promise<Snapshot | null> {
  const row = await db
    .selectFrom('world_snapshot')
    .select(['seq', 'tick', 'state_hash as stateHash', 'state'])
    .where('seq', '<', beforeSeq)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/** Deletes all but the newest eight snapshots. */
export async function saveSnapshot(db: Db, epoch: number, snapshot: Snapshot): Promise<void> {
  await inTransaction(db, async (tx) => {
    await lockLease(tx, epoch);
    await insertSnapshot(tx, epoch, snapshot);
    await sql`delete from world_snapshot where seq not in (select seq from world_snapshot order by seq desc limit ${KEPT_SNAPSHOTS})`.execute(
      tx,
    );
  });
}

/** The caller holds the lease of the epoch. */
export async function insertSnapshot(tx: Tx, epoch: number, snapshot: Snapshot): Promise<void> {
  await tx
    .insertInto('world_snapshot')
    .values({
      seq: snapshot.seq,
      tick: snapshot.tick,
      epoch,
      state_hash: snapshot.stateHash,
      state: Buffer.from(snapshot.state),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Events after `seq`: rows of world_event, and packed chunks for the caller to unpack and merge by seq. */
interface Tail {
  readonly events: readonly WorldEvent[];
  readonly chunks: readonly Uint8Array[];
}

/** Events in (seq, seq + span] as of one moment. Chunks may extend beyond both ends. */
export async function readTail(db: Db, seq: number, span: number): Promise<Tail> {
  return inSnapshot(db, async (tx) => {
    const upTo = seq + span;
    const events = await tx
      .selectFrom('world_event')
      .select('event')
      .where('seq', '>', seq)
      .where('seq', '<=', upTo)
      .orderBy('seq')
      .execute();
    // Chunks do not overlap, so only the last chunk before the span can extend into it. Both bounds use the primary
    // key.
    const chunks = await tx
      .selectFrom('world_move_chunk')
      .select('packed')
      .where(
        'seq_from',
        '>=',
        sql<number>`coalesce((select max(c.seq_from) from world_move_chunk c where c.seq_from <= ${seq + 1}), 0)`,
      )
      .where('seq_from', '<=', upTo)
      .where('seq_to', '>', seq)
      .orderBy('seq_from')
      .execute();
    return { events: events.map((row) => row.event as WorldEvent), chunks: chunks.map((row) => row.packed) };
  });
}

export async function lastSeq(db: Db): Promise<number> {
  const { rows } = await sql<{ seq: number }>`
    select greatest((select coalesce(max(seq), 0) from world_event), (select coalesce(max(seq_to), 0) from world_move_chunk)) as seq
  `.execute(db);
  return rows[0]?.seq ?? 0;
}

export function readChunks(
  db: Db,
  range: { readonly after: number; readonly upTo: number; readonly limit: number },
): Promise<readonly MoveChunk[]> {
  return db
    .selectFrom('world_move_chunk')
    .select(['seq_from as seqFrom', 'seq_to as seqTo', 'tick_from as tickFrom', 'tick_to as tickTo', 'count', 'packed'])
    .where('seq_from', '>', range.after)
    .where('seq_to', '<=', range.upTo)
    .orderBy('seq_from')
    .limit(range.limit)
    .execute();
}

export async function replaceChunks(db: Db, epoch: number, chunk: MoveChunk): Promise<void> {
  await inTransaction(db, async (tx) => {
    await lockLease(tx, epoch);
    await tx
      .deleteFrom('world_move_chunk')
      .where('seq_from', '>=', chunk.seqFrom)
      .where('seq_to', '<=', chunk.seqTo)
      .execute();
    await insertChunk(tx, epoch, chunk);
  });
}
