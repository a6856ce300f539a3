import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';

export interface Lease {
  readonly epoch: number;
  readonly holder: string;
  /** Time until the lease ends by Postgres' clock, in ms; negative after its end. */
  readonly remainingMs: number;
}

/** Takes the lease if it is free. Returns the new epoch, or null while another writer holds it. */
export async function takeLease(db: Db, holder: string, ttlMs: number): Promise<number | null> {
  const row = await db
    .updateTable('world_lease')
    .set({ epoch: sql`epoch + 1`, holder, until: sql`now() + ${ttlMs} * interval '1 millisecond'` })
    .where('until', '<', sql<Date>`now()`)
    .returning('epoch')
    .executeTakeFirst();
  return row?.epoch ?? null;
}

/** Begins a new epoch and ends the present lease. Until the transaction ends, no writer can commit or take the lease. */
export async function seizeLease(tx: Tx, holder: string): Promise<number> {
  const row = await tx
    .updateTable('world_lease')
    .set({ epoch: sql`epoch + 1`, holder, until: sql`now()` })
    .returning('epoch')
    .executeTakeFirstOrThrow();
  return row.epoch;
}

export async function renewLease(db: Db, epoch: number, ttlMs: number): Promise<boolean> {
  const result = await db
    .updateTable('world_lease')
    .set({ until: sql`now() + ${ttlMs} * interval '1 millisecond'` })
    .where('epoch', '=', epoch)
    .where('until', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Releases the lease, so that the next holder need not wait for its expiry. */
export async function dropLease(db: Db, epoch: number): Promise<void> {
  await db
    .updateTable('world_lease')
    .set({ until: sql`now()` })
    .where('epoch', '=', epoch)
    .execute();
}

export function readLease(db: Db): Promise<Lease> {
  return db
    .selectFrom('world_lease')
    .select([
      'epoch',
      'holder',
      sql<number>`greatest(-1e9, extract(epoch from until - now()) * 1000)::float8`.as('remainingMs'),
    ])
    .executeTakeFirstOrThrow();
}
