import { sql } from 'kysely';
import type { WorldEvent } from '@hamlet/contract';
import { asColumns } from '../connection/as-columns.ts';
import { type Db, inTransaction, type Tx } from '../connection/database.ts';
import { type AuditEntry, recordAudit } from '../writes/audit.ts';
import { keepAnswers, type KeptAnswer } from '../writes/idempotency.ts';

export interface MoveChunk {
  readonly seqFrom: number;
  readonly seqTo: number;
  readonly tickFrom: number;
  readonly tickTo: number;
  readonly count: number;
  readonly packed: Uint8Array;
}

export interface Batch {
  readonly epoch: number;
  readonly events: readonly WorldEvent[];
  readonly moves: MoveChunk | null;
  /** Answers to commands, stored in the same transaction as their effects. */
  readonly answers: readonly KeptAnswer[];
  readonly audits: readonly AuditEntry[];
}

/** The writer has lost its lease and must stop. */
export class FencedError extends Error {
  constructor(epoch: number) {
    super(`the world lease of epoch ${epoch} has ended`);
  }
}

/** Throws FencedError and writes nothing if a newer epoch has begun. */
export async function appendBatch(db: Db, batch: Batch): Promise<void> {
  const { epoch, events, moves, answers, audits } = batch;
  const isMovesAlone = events.length === 0 && answers.length === 0 && audits.length === 0;
  if (isMovesAlone && moves !== null) return commitMoves(db, epoch, moves);
  await inTransaction(db, async (tx) => {
    await lockLease(tx, epoch);
    await appendEvents(tx, epoch, events);
    if (moves !== null) await insertChunk(tx, epoch, moves);
    await keepAnswers(tx, answers);
    for (const entry of audits) await recordAudit(tx, entry);
  });
}

/** The share lock prevents another writer from taking the lease before the commit. Throws FencedError. */
export async function lockLease(tx: Tx, epoch: number): Promise<void> {
  const lease = await tx
    .selectFrom('world_lease')
    .select('epoch')
    .where('epoch', '=', epoch)
    .forShare()
    .executeTakeFirst();
  if (lease === undefined) throw new FencedError(epoch);
}

/** Inserts events as rows. The caller holds the lease of the epoch. */
export async function appendEvents(tx: Tx, epoch: number, events: readonly WorldEvent[]): Promise<void> {
  if (events.length === 0) return;
  // The whole batch is one parameter, so 1,000 events cost one round trip and one plan.
  await sql`
    insert into world_event (seq, tick, epoch, kind, agent_id, event)
    select (e->>'seq')::bigint, (e->>'tick')::bigint, ${epoch}::bigint, e->>'kind', e->>'agent_id', e
    from jsonb_array_elements(${JSON.stringify(events)}::jsonb) e`.execute(tx);
}

/** Inserts moves in one statement and round trip, because most commits contain only moves. */
async function commitMoves(db: Db, epoch: number, chunk: MoveChunk): Promise<void> {
  const { seqFrom, seqTo, tickFrom, tickTo, count } = chunk;
  const { rows } = await sql`
    with lease as (select epoch from world_lease where epoch = ${epoch} for share)
    insert into world_move_chunk (seq_from, seq_to, tick_from, tick_to, epoch, count, packed)
    select ${seqFrom}::bigint, ${seqTo}::bigint, ${tickFrom}::bigint, ${tickTo}::bigint, lease.epoch, ${count}::integer, ${Buffer.from(chunk.packed)}::bytea from lease
    returning seq_from`.execute(db);
  if (rows.length === 0) throw new FencedError(epoch);
}

/** The caller holds the lease of the epoch. */
export async function insertChunk(tx: Tx, epoch: number, chunk: MoveChunk): Promise<void> {
  await tx
    .insertInto('world_move_chunk')
    .values({ epoch, ...asColumns(chunk) })
    .execute();
}
