import { createHash } from 'node:crypto';
import { areTooManyWaiting, isKnownCertificate, keepDelivery, type Delivery } from '@hamlet/store';
import type { IncomingHttpHeaders } from 'node:http';
import { plain, type Handlers } from '../../http/handler.ts';
import { accepted, refused, type Refused } from '../../http/outcome.ts';
import { eventOf } from './paypal-wire.ts';
import { certificatePlace, PAYPAL_HOSTS, type PayPalHosts } from './paypal-client.ts';
import type { Village } from '../../village.ts';

/** `known`: the certificate has verified an earlier delivery. Its own limit keeps forged ones from blocking PayPal. */
const WAITING_MAX = { known: 10_000, unknown: 1_000 } as const;
const BUSY_S = 60;
/** PayPal retries for three days, so an older notification is not from PayPal. */
const OLDEST_MS = 4 * 86_400_000;
const CLOCKS_DIFFER_MS = 300_000;
const TRANSMISSION_ID = /^[A-Za-z0-9-]{1,64}$/;
const SIGNATURE = /^[A-Za-z0-9+/]{300,1400}={0,2}$/;

function headerOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[`paypal-${name}`];
  return typeof value === 'string' ? value : '';
}

function faultOf(
  delivery: Delivery,
  { algorithm, hosts, now }: { readonly algorithm: string; readonly hosts: PayPalHosts; readonly now: Date },
): Refused | null {
  if (algorithm !== 'SHA256withRSA')
    return refused('webhook_refused', 'PayPal-Auth-Algo: only SHA256withRSA is supported');
  if (!TRANSMISSION_ID.test(delivery.transmissionId))
    return refused('webhook_refused', 'PayPal-Transmission-Id: missing or not an id');
  if (!SIGNATURE.test(delivery.signature))
    return refused('webhook_refused', 'PayPal-Transmission-Sig: missing or not a signature');
  if (certificatePlace(delivery.certUrl, hosts) === null)
    return refused('webhook_refused', 'PayPal-Cert-Url: not the address of a PayPal certificate');
  const ageMs = now.getTime() - Date.parse(delivery.transmissionTime);
  if (!(ageMs <= OLDEST_MS && ageMs >= -CLOCKS_DIFFER_MS))
    return refused('webhook_refused', 'PayPal-Transmission-Time: missing, too old or in the future');
  return eventOf(delivery.raw) === null ? refused('webhook_refused', 'The body is not a notification') : null;
}

/** Digest of the whole delivery: only identical deliveries have the same digest. */
function digestOf({ transmissionId, transmissionTime, certUrl, signature, raw }: Delivery): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([transmissionId, transmissionTime, certUrl, signature]))
    .update(raw)
    .digest();
}

/** The webhook's route. It stores and acknowledges notifications that may be from PayPal; a job verifies them later. */
export function webhookHandler({ db, payments }: Village): Pick<Handlers, 'receivePayPalWebhook'> {
  return {
    receivePayPalWebhook: plain(async ({ body, headers, now }) => {
      if (payments.paypalMode === 'off') return refused('paypal_off', 'PayPal payments are off in this village');
      const delivery: Delivery = {
        transmissionId: headerOf(headers, 'transmission-id'),
        transmissionTime: headerOf(headers, 'transmission-time'),
        certUrl: headerOf(headers, 'cert-url'),
        signature: headerOf(headers, 'transmission-sig'),
        raw: Buffer.from(body),
      };
      const fault = faultOf(delivery, {
        algorithm: headerOf(headers, 'auth-algo'),
        hosts: PAYPAL_HOSTS[payments.paypalMode],
        now,
      });
      if (fault !== null) return fault;
      const known = await isKnownCertificate(db, delivery.certUrl);
      if (await areTooManyWaiting(db, { known, most: known ? WAITING_MAX.known : WAITING_MAX.unknown }))
        return refused(
          'rate_limited',
          'Too many notifications are waiting for verification; send this one again later',
          BUSY_S,
        );
      await keepDelivery(db, { digest: digestOf(delivery), known, delivery });
      payments.nudge();
      return accepted({ received: true as const });
    }),
  };
}
