import { z } from 'zod';
import { defineRoute } from '../../route.ts';

/** What PayPal sends is taken byte for byte: the signature is over these bytes, and `1.0` read and written again is `1`. */
const RawBody = z.instanceof(Uint8Array).meta({ description: 'A notification, signed by PayPal in its headers' });

export const receivePayPalWebhook = defineRoute({
  name: 'receivePayPalWebhook',
  summary: 'Notifications of PayPal: kept, answered, then verified and held to what PayPal itself says of the payment',
  tag: 'economy',
  method: 'POST',
  path: '/payments/paypal/webhook',
  placement: 'versioned_and_bare',
  audiences: ['people'],
  permission: 'anyone',
  idempotency: 'natural',
  rawBody: true,
  body: RawBody,
  answer: { kind: 'json', schema: z.strictObject({ received: z.literal(true) }) },
  reasons: ['paypal_off', 'webhook_refused'],
});
