import { sql } from 'kysely';
import { asColumns } from '../connection/as-columns.ts';
import type { Db, Tx } from '../connection/database.ts';
import type { AnnouncedPayment } from './captures.ts';

export interface Delivery {
  readonly transmissionId: string;
  readonly transmissionTime: string;
  readonly certUrl: string;
  /** Base64. */
  readonly signature: string;
  readonly raw: Buffer;
}

export interface ClaimedDelivery extends Delivery {
  readonly deliveryId: string;
  readonly attempts: number;
  readonly receivedAt: Date;
}

const LEASE_S = 60;
const REFUSED_KEPT_DAYS = 7;
/** Maximum number of stored refused deliveries, so that a flood takes limited space. */
const REFUSED_KEPT_MAX = 10_000;
const VERIFIED_KEPT_DAYS = 400;

/** Stores a delivery; `known`: see isKnownCertificate. False if its digest is already stored. */
export async function keepDelivery(
  db: Db,
  { digest, known, delivery }: { readonly digest: Buffer; readonly known: boolean; readonly delivery: Delivery },
): Promise<boolean> {
  const kept = await db
    .insertInto('paypal_delivery')
    .values({ digest, known, ...asColumns(delivery) })
    .onConflict((conflict) => conflict.column('digest').doNothing())
    .returning('delivery_id')
    .executeTakeFirst();
  return kept !== undefined;
}

/** True if a certificate has verified a delivery before, so the API can check a new one quickly. */
export async function isKnownCertificate(db: Db, certUrl: string): Promise<boolean> {
  const row = await db
    .selectFrom('paypal_delivery')
    .select('delivery_id')
    .where('state', '=', 'verified')
    .where('cert_url', '=', certUrl)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** True if more than `most` deliveries with (or without) a known certificate wait. */
export async function areTooManyWaiting(
  db: Db,
  { known, most }: { readonly known: boolean; readonly most: number },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from paypal_delivery where state = 'waiting' and known = ${known} offset ${most} limit 1`.execute(db);
  return rows.length > 0;
}

/** Claims due deliveries for a minute, at most `atMost`; those with a known certificate first. */
export async function claimDeliveries(db: Db, atMost: number): Promise<readonly ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedDelivery>`
    update paypal_delivery set due_at = now() + ${LEASE_S} * interval '1 second', attempts = attempts + 1
    where delivery_id in (select delivery_id from paypal_delivery where state = 'waiting' and due_at <= now() order by known desc, due_at limit ${atMost} for update skip locked)
    returning delivery_id as "deliveryId", transmission_id as "transmissionId", transmission_time as "transmissionTime", cert_url as "certUrl", signature, raw,
      attempts, received_at as "receivedAt"`.execute(db);
  return rows;
}

/** Refuses a delivery permanently and deletes its bytes. */
export async function refuseDelivery(db: Db, deliveryId: string, why: string): Promise<void> {
  await db
    .updateTable('paypal_delivery')
    .set({ state: 'refused', why, raw: null })
    .where('delivery_id', '=', deliveryId)
    .where('state', '=', 'waiting')
    .execute();
}

/** Records why a delivery could not be verified; it is due again after `seconds`. */
export async function postponeDelivery(
  db: Db,
  deliveryId: string,
  { why, seconds }: { readonly why: string; readonly seconds: number },
): Promise<void> {
  await sql`
    update paypal_delivery set why = ${why}, due_at = now() + ${seconds} * interval '1 second' where delivery_id = ${deliveryId} and state = 'waiting'`.execute(
    db,
  );
}

export interface VerifiedEvent {
  readonly eventId: string;
  readonly eventType: string;
  readonly captureIds: readonly string[];
  readonly hint: AnnouncedPayment | null;
  readonly taking: { readonly kind: 'refund' | 'reversal' | 'dispute'; readonly takingId: string } | null;
}

async function announceCapture(tx: Tx, captureId: string, { hint, taking }: VerifiedEvent): Promise<void> {
  const words = hint === null ? null : JSON.stringify(hint);
  await sql`
    insert into paypal_capture as c (capture_id, due_at, hint) values (${captureId}, now(), ${words}::jsonb)
    on conflict (capture_id) do update set told = c.told + 1, due_at = now(), attempts = 0, hint = coalesce(c.hint, excluded.hint)
  `.execute(tx);
  if (taking === null) return;
  await tx
    .insertInto('paypal_taking')
    .values({ kind: taking.kind, taking_id: taking.takingId, capture_id: captureId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Records a verified delivery; returns whether its event was new. */
export async function acceptDelivery(tx: Tx, deliveryId: string, event: VerifiedEvent): Promise<boolean> {
  await tx
    .updateTable('paypal_delivery')
    .set({ state: 'verified', why: null })
    .where('delivery_id', '=', deliveryId)
    .execute();
  const first = await tx
    .insertInto('paypal_event')
    .values({
      event_id: event.eventId,
      event_type: event.eventType,
      capture_id: event.captureIds[0] ?? null,
      delivery_id: deliveryId,
    })
    .onConflict((conflict) => conflict.column('event_id').doNothing())
    .returning('event_id')
    .executeTakeFirst();
  if (first === undefined) return false;
  for (const captureId of event.captureIds.toSorted()) await announceCapture(tx, captureId, event);
  return true;
}

export async function forgetOldDeliveries(db: Db): Promise<void> {
  await sql`
    delete from paypal_delivery where (state = 'refused' and received_at < now() - ${REFUSED_KEPT_DAYS} * interval '1 day')
      or (state = 'refused' and received_at < (select received_at from paypal_delivery where state = 'refused' order by received_at desc offset ${REFUSED_KEPT_MAX} limit 1))
      or (state = 'verified' and received_at < now() - ${VERIFIED_KEPT_DAYS} * interval '1 day')`.execute(db);
}
