import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import type { IntentKind } from './seen-resources.ts';

/**
 * Time in which the replica that began a write is expected to end it. Afterwards a retry or the watch takes it over. A write that
 * takes longer may then happen twice, which leaves the same object and one audit row.
 */
const LEASE_S = 10;
/** A write without an end is forgotten after this time. The answers of writes are kept as long. */
const KEPT_HOURS = 24;
/** Unfinished writes of one resource that a reader looks at. */
const READ_MAX = 20;

/** The act of a write as its audit row will name it, and the account of its person. */
export interface WriteAct {
  readonly action: string;
  readonly role: string;
  readonly id: string;
  readonly accountId: string | null;
  readonly requestId: string;
  readonly traceparent: string | null;
  /** The call of a run in which an agent acts. */
  readonly call: { readonly runId: string; readonly callId: string } | null;
}

export interface NewClusterWrite {
  readonly actor: string;
  readonly key: string;
  readonly hash: Uint8Array;
  readonly kind: IntentKind;
  readonly name: string;
  readonly act: WriteAct;
}

/** A write that has begun. `resumed`: an earlier attempt with the same key may have reached the cluster already. */
export interface BegunWrite {
  readonly writeId: string;
  readonly begunAt: Date;
  readonly resumed: boolean;
}

/**
 * Records that a write to the cluster begins. Under a key that an earlier attempt has used, its row is taken over once its
 * lease has ended. `in_flight` while the lease lasts, `other_request` if the row is of another request.
 */
export async function beginClusterWrite(
  tx: Tx,
  { actor, key, hash, kind, name, act }: NewClusterWrite,
): Promise<BegunWrite | 'in_flight' | 'other_request'> {
  const requestHash = Buffer.from(hash);
  const lease = sql`clock_timestamp() + ${LEASE_S} * interval '1 second'`;
  const { rows } = await sql<BegunWrite>`
    insert into cluster_write as held (actor, key, request_hash, kind, name, act, leased_until)
    values (${actor}, ${key}, ${requestHash}, ${kind}, ${name}, ${JSON.stringify(act)}, ${lease})
    on conflict (actor, key) do update set leased_until = excluded.leased_until
      where held.leased_until <= clock_timestamp() and held.request_hash = excluded.request_hash
    returning write_id as "writeId", begun_at as "begunAt", xmax <> 0 as resumed`.execute(tx);
  const [begun] = rows;
  if (begun !== undefined) return begun;
  const held = await tx
    .selectFrom('cluster_write')
    .select('request_hash as hash')
    .where('actor', '=', actor)
    .where('key', '=', key)
    .executeTakeFirst();
  return held === undefined || held.hash.equals(requestHash) ? 'in_flight' : 'other_request';
}

/** Ends a write. False if another replica has taken it over and ended it. */
export async function endClusterWrite(tx: Tx, writeId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('cluster_write')
    .where('write_id', '=', writeId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Ends the lease of a write whose attempt failed, so that a retry continues it at once. */
export async function releaseClusterWrite(db: Db, writeId: string): Promise<void> {
  await db
    .updateTable('cluster_write')
    .set({ leased_until: sql<Date>`clock_timestamp()` })
    .where('write_id', '=', writeId)
    .execute();
}

export interface OpenWrite {
  readonly act: WriteAct;
  /** True while its replica is expected to end it. */
  readonly live: boolean;
}

/** The writes of a resource that have begun and not ended, newest first. */
export async function readOpenWrites(tx: Tx, kind: IntentKind, name: string): Promise<readonly OpenWrite[]> {
  const rows = await tx
    .selectFrom('cluster_write')
    .select(['act', sql<boolean>`leased_until > clock_timestamp()`.as('live')])
    .where('kind', '=', kind)
    .where('name', '=', name)
    .orderBy('begun_at', 'desc')
    .limit(READ_MAX)
    .execute();
  return rows.map(({ act, live }) => ({ act: act as unknown as WriteAct, live }));
}

export async function forgetClusterWrites(db: Db): Promise<void> {
  await db
    .deleteFrom('cluster_write')
    .where('begun_at', '<', sql<Date>`now() - ${KEPT_HOURS} * interval '1 hour'`)
    .execute();
}
