import { verify, type KeyObject } from 'node:crypto';
import { crc32 } from 'node:zlib';
import {
  acceptDelivery,
  claimDeliveries,
  inTransaction,
  isConnectionError,
  postponeDelivery,
  refuseDelivery,
} from '@hamlet/store';
import type { ClaimedDelivery } from '@hamlet/store';
import { backoff } from '@hamlet/core';
import { eventOf } from './paypal-wire.ts';
import { NoSuchCertificate, type KeyOf } from './signing-keys.ts';
import type { Services } from '../../service/services.ts';

const AT_ONCE = 20;
/** Longer than the three days for which PayPal retries a delivery. */
const PATIENCE_MS = 4 * 86_400_000;
const LONGEST_WAIT_S = 3_600;

interface VerifyPorts extends Pick<Services, 'db' | 'log'> {
  readonly keyOf: KeyOf;
  readonly webhookId: string;
  /** Counts a finished delivery: `verified`, `repeated` (the event was known) or `refused`. */
  readonly count: (came: 'verified' | 'repeated' | 'refused') => void;
}

async function refuse(delivery: ClaimedDelivery, why: string, { db, log, count }: VerifyPorts): Promise<void> {
  await refuseDelivery(db, delivery.deliveryId, why);
  log('warn', 'a delivery to the PayPal webhook was refused', {
    delivery: delivery.deliveryId,
    transmission: delivery.transmissionId,
    why,
  });
  count('refused');
}

async function verifyOne(delivery: ClaimedDelivery, ports: VerifyPorts): Promise<void> {
  const { db, keyOf, webhookId, count } = ports;
  const key = await keyOf(delivery.certUrl);
  if (key === null) return refuse(delivery, 'the certificate is not at an address of PayPal', ports);
  if (!isSigned(delivery, webhookId, key)) return refuse(delivery, 'the signature does not match this delivery', ports);
  const event = eventOf(delivery.raw);
  if (event === null) return refuse(delivery, 'the body is not a notification', ports);
  count((await inTransaction(db, (tx) => acceptDelivery(tx, delivery.deliveryId, event))) ? 'verified' : 'repeated');
}

/** Retries for four days, then refuses the delivery; refuses at once if the certificate does not exist. */
async function later(delivery: ClaimedDelivery, error: unknown, ports: VerifyPorts): Promise<void> {
  if (isConnectionError(error)) throw error;
  const why = error instanceof Error ? error.message : String(error);
  if (error instanceof NoSuchCertificate || Date.now() - delivery.receivedAt.getTime() > PATIENCE_MS)
    return refuse(delivery, why, ports);
  await postponeDelivery(ports.db, delivery.deliveryId, {
    why,
    seconds: backoff(delivery.attempts, { first: 2, longest: LONGEST_WAIT_S }),
  });
}

export async function verifyDeliveries(ports: VerifyPorts): Promise<void> {
  for (;;) {
    const claimed = await claimDeliveries(ports.db, AT_ONCE);
    for (const delivery of claimed)
      await verifyOne(delivery, ports).catch((error: unknown) => later(delivery, error, ports));
    if (claimed.length < AT_ONCE) return;
  }
}

interface SignedParts {
  readonly transmissionId: string;
  readonly transmissionTime: string;
  /** Base64. */
  readonly signature: string;
  /** The body, byte for byte. */
  readonly raw: Uint8Array;
}

/** Has the checksum of the body, and the village's own webhook id instead of the claimed one. Pure. */
export function signedText(
  { transmissionId, transmissionTime, raw }: Omit<SignedParts, 'signature'>,
  webhookId: string,
): string {
  return `${transmissionId}|${transmissionTime}|${webhookId}|${crc32(raw)}`;
}

export function isSigned(parts: SignedParts, webhookId: string, key: KeyObject): boolean {
  return verify('RSA-SHA256', Buffer.from(signedText(parts, webhookId)), key, Buffer.from(parts.signature, 'base64'));
}
