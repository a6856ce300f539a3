import { sql } from 'kysely';
import { type Db, inTransaction, type Tx } from '../connection/database.ts';

/** Proof of leadership in a request: the uid of the Lease, and how often the Lease had changed hands. */
export interface Fence {
  readonly leaseUid: string;
  readonly transitions: number;
}

/** Seconds of silence after which another Lease may replace the trusted one: the duration of the Lease. */
export const FENCE_EXPIRES_S = 6;
/** Shortest interval, in seconds, at which the database stores that a leader is alive. */
const NOTED_EVERY_S = 1;
/** Maximum number of replaced Leases that the database remembers. */
const REPLACED_KEPT = 1_000;

/** Records a request of a leader; trusts another Lease after FENCE_EXPIRES_S of silence. {@link lockFence} makes the decision. */
export async function noteFence(db: Db, { leaseUid, transitions }: Fence): Promise<void> {
  const fresh = await db
    .selectFrom('operator_fence')
    .select('lease_uid')
    .where('lease_uid', '=', leaseUid)
    .where('transitions', '>=', transitions)
    .where(
      sql<boolean>`(superseded_at is not null or seen_at > clock_timestamp() - ${NOTED_EVERY_S} * interval '1 second')`,
    )
    .executeTakeFirst();
  if (fresh === undefined) await inTransaction(db, (tx) => learn(tx, { leaseUid, transitions }));
}

async function learn(tx: Tx, { leaseUid, transitions }: Fence): Promise<void> {
  await sql`select pg_advisory_xact_lock(${FENCE_LOCK})`.execute(tx);
  const trusted = await tx
    .selectFrom('operator_fence')
    .select([
      'lease_uid as leaseUid',
      'transitions',
      sql<boolean>`seen_at < clock_timestamp() - ${FENCE_EXPIRES_S} * interval '1 second'`.as('silent'),
    ])
    .where('superseded_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  const now = sql<Date>`clock_timestamp()`;
  if (trusted?.leaseUid === leaseUid) {
    // A request from an earlier leader does not show that its successor is alive.
    if (transitions >= trusted.transitions)
      await tx
        .updateTable('operator_fence')
        .set({ transitions, seen_at: now })
        .where('lease_uid', '=', leaseUid)
        .execute();
    return;
  }
  const known = await tx
    .selectFrom('operator_fence')
    .select('lease_uid')
    .where('lease_uid', '=', leaseUid)
    .executeTakeFirst();
  if (known !== undefined || trusted?.silent === false) return;
  if (trusted !== undefined)
    await tx
      .updateTable('operator_fence')
      .set({ superseded_at: now })
      .where('lease_uid', '=', trusted.leaseUid)
      .execute();
  await tx.insertInto('operator_fence').values({ lease_uid: leaseUid, transitions, seen_at: now }).execute();
  await sql`delete from operator_fence where lease_uid in (
    select lease_uid from operator_fence where superseded_at is not null order by superseded_at desc offset ${REPLACED_KEPT})
  `.execute(tx);
}

const FENCE_LOCK = 4_832_004;

/** True if a leader may act. Then no other leader replaces it before the transaction ends. */
export async function lockFence(tx: Tx, { leaseUid, transitions }: Fence): Promise<boolean> {
  const row = await tx
    .selectFrom('operator_fence')
    .select('transitions')
    .where('lease_uid', '=', leaseUid)
    .where('superseded_at', 'is', null)
    .forShare()
    .executeTakeFirst();
  return row?.transitions === transitions;
}
