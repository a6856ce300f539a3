import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import type { IntentKind } from './seen-resources.ts';

/**
 * Seconds that a replica has for a write. Afterwards a retry or the watch takes it over, so a slower write may happen
 * twice, which leaves the same object and one audit row.
 */
const LEASE_S = 10;
/** Hours after which an unfinished write is deleted, like the stored answers of writes. */
const KEPT_HOURS = 24;
/** Maximum number of unfinished writes of one resource to read. */
const READ_MAX = 20;

/** The act for the audit row of a write, and the account of its person. */
export interface WriteAct {
  readonly action: string;
  readonly role: string;
  readonly id: string;
  readonly accountId: string | null;
  readonly requestId: string;
  readonly traceparent: string | null;
  /** The call of the run in which an agent acts. */
  readonly call: { readonly runId: string; readonly callId: string } | null;
}

interface NewClusterWrite {
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
 * Records the start of a write to the cluster. If an earlier attempt used the key, takes over its row once its lease
 * has ended. `in_flight`: the lease has not ended. `other_request`: the row belongs to a different request.
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

/** Ends the lease of a failed write, so that a retry can continue it at once. */
export async function releaseClusterWrite(db: Db, writeId: string): Promise<void> {
  await db
    .updateTable('cluster_write')
    .set({ leased_until: sql<Date>`clock_timestamp()` })
    .where('write_id', '=', writeId)
    .execute();
}

export interface OpenWrite {
  readonly act: WriteAct;
  /** True while the lease of its replica lasts. */
  readonly live: boolean;
}

/** The unfinished writes of a resource, newest first. */
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
