import {
  acceptDelivery,
  claimDeliveries,
  inTransaction,
  isConnectionError,
  postponeDelivery,
  refuseDelivery,
} from '@hamlet/store';
import type { ClaimedDelivery, Db } from '@hamlet/store';
import type { Log } from '../../service/log.ts';
import { backoffS } from './backoff.ts';
import { eventOf } from './event-words.ts';
import { isSigned } from './signature.ts';
import { NoSuchCertificate } from './signing-keys.ts';
import type { KeyOf } from './signing-keys.ts';

const AT_ONCE = 20;
/** PayPal itself gives up after three days. */
const PATIENCE_MS = 4 * 86_400_000;
const LONGEST_WAIT_S = 3_600;

export interface VerifyPorts {
  readonly db: Db;
  readonly keyOf: KeyOf;
  readonly webhookId: string;
  readonly log: Log;
  /** Hears of each delivery that is settled: `verified`, `repeated` (the event was known) or `refused`. */
  readonly count: (came: 'verified' | 'repeated' | 'refused') => void;
}

async function refuse(delivery: ClaimedDelivery, why: string, { db, log, count }: VerifyPorts): Promise<void> {
  await refuseDelivery(db, delivery.deliveryId, why);
  log('warn', 'a delivery to the PayPal webhook is not believed', {
    delivery: delivery.deliveryId,
    transmission: delivery.transmissionId,
    why,
  });
  count('refused');
}

async function verifyOne(delivery: ClaimedDelivery, ports: VerifyPorts): Promise<void> {
  const { db, keyOf, webhookId, count } = ports;
  const key = await keyOf(delivery.certUrl);
  if (key === null) return refuse(delivery, 'the certificate is at no address of PayPal', ports);
  if (!isSigned(delivery, webhookId, key)) return refuse(delivery, 'the signature is not over this delivery', ports);
  const event = eventOf(delivery.raw);
  if (event === null) return refuse(delivery, 'the body is no notification', ports);
  count((await inTransaction(db, (tx) => acceptDelivery(tx, delivery.deliveryId, event))) ? 'verified' : 'repeated');
}

/** A certificate that cannot be had now is no proof of anything: the delivery is kept and tried again, for as long as PayPal itself would. One that does not exist is. */
async function later(delivery: ClaimedDelivery, error: unknown, ports: VerifyPorts): Promise<void> {
  if (isConnectionError(error)) throw error;
  const why = error instanceof Error ? error.message : String(error);
  if (error instanceof NoSuchCertificate || Date.now() - delivery.receivedAt.getTime() > PATIENCE_MS)
    return refuse(delivery, why, ports);
  await postponeDelivery(ports.db, delivery.deliveryId, {
    why,
    seconds: backoffS(delivery.attempts, { firstS: 2, longestS: LONGEST_WAIT_S }),
  });
}

/** Verifies what came in until nothing is due. */
export async function verifyDeliveries(ports: VerifyPorts): Promise<void> {
  for (;;) {
    const claimed = await claimDeliveries(ports.db, AT_ONCE);
    for (const delivery of claimed)
      await verifyOne(delivery, ports).catch((error: unknown) => later(delivery, error, ports));
    if (claimed.length < AT_ONCE) return;
  }
}
