import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';

/** A payment as a notification reports it. The amount is in millionths of the currency. */
export interface AnnouncedPayment {
  readonly amount: string;
  readonly currency: string;
  readonly customId: string | null;
}
export interface KnownPayment extends AnnouncedPayment {
  readonly status: string;
}

/** Seconds of a claim: afterwards another replica may ask PayPal, and the API ignores the first answer. */
const LEASE_S = 60;

export interface TakingId {
  readonly kind: 'refund' | 'reversal' | 'dispute';
  readonly takingId: string;
}

/** A payment that this replica checks with PayPal. Another replica's claim replaces `claim`. */
export interface ClaimedCapture {
  readonly captureId: string;
  readonly claim: string;
  /** Count of notifications at the time of the claim. */
  readonly told: number;
  readonly attempts: number;
  readonly hint: AnnouncedPayment | null;
  readonly takings: readonly TakingId[];
}

/** Claims the payment that has been due longest; null if none is due. */
export async function claimCapture(db: Db): Promise<ClaimedCapture | null> {
  const claim = randomUUID();
  const { rows } = await sql<Omit<ClaimedCapture, 'claim' | 'takings'>>`
    update paypal_capture set claim = ${claim}, due_at = now() + ${LEASE_S} * interval '1 second', attempts = attempts + 1
    where capture_id = (select capture_id from paypal_capture where due_at <= now() order by due_at limit 1 for update skip locked)
    returning capture_id as "captureId", told, attempts, hint`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const takings = await db
    .selectFrom('paypal_taking')
    .select(['kind', 'taking_id as takingId'])
    .where('capture_id', '=', row.captureId)
    .orderBy('told_at')
    .execute();
  return { ...row, claim, takings };
}

/** Locks a claimed payment. False if another replica has claimed it since: the answer may be out of date. */
export async function holdClaim(
  tx: Tx,
  { captureId, claim }: Pick<ClaimedCapture, 'captureId' | 'claim'>,
): Promise<boolean> {
  const row = await tx
    .selectFrom('paypal_capture')
    .select('capture_id')
    .where('capture_id', '=', captureId)
    .where('claim', '=', claim)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

export interface Looked {
  readonly truth: KnownPayment | null;
  /** The reason why the payment is not credited; null if it has a deposit. */
  readonly why: string | null;
  /** Seconds after which the API asks PayPal again without a new notification; null for never. */
  readonly againInS: number | null;
}

/** Ends a claim with its result. If a notification has arrived since the claim, the payment is due again at once. */
export async function noteLooked(
  tx: Tx,
  { captureId, told }: Pick<ClaimedCapture, 'captureId' | 'told'>,
  { truth, why, againInS }: Looked,
): Promise<void> {
  await sql`
    update paypal_capture set claim = null, looked = ${told}, why = ${why}, truth = coalesce(${truth === null ? null : JSON.stringify(truth)}::jsonb, truth),
      due_at = case when told > ${told} then now() when ${againInS}::int is null then null else now() + ${againInS}::int * interval '1 second' end
    where capture_id = ${captureId}`.execute(tx);
}

/** Releases a claim because PayPal was unreachable; the payment is due again after `seconds`. */
export async function postponeCapture(
  db: Db,
  { captureId, claim }: Pick<ClaimedCapture, 'captureId' | 'claim'>,
  seconds: number,
): Promise<void> {
  await sql`
    update paypal_capture set claim = null, due_at = now() + ${seconds} * interval '1 second' where capture_id = ${captureId} and claim = ${claim}`.execute(
    db,
  );
}

export interface WaitingCapture {
  readonly captureId: string;
  readonly why: string;
  readonly since: Date;
  readonly truth: KnownPayment | null;
}

/** Reported payments that may still be credited, oldest first, at most 200. */
export async function readWaitingCaptures(db: Db): Promise<readonly WaitingCapture[]> {
  const { rows } = await sql<WaitingCapture>`
    select capture_id as "captureId", coalesce(why, 'not_looked_at') as why, first_told_at as since, truth from paypal_capture
    where looked = 0 or (why is not null and due_at is not null) order by first_told_at limit 200`.execute(db);
  return rows;
}
