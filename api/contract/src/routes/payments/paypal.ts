import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { Amount } from '../../values/money.ts';
import { AgentId } from '../../values/scalars.ts';

/** The signature covers the exact bytes, which parsing and writing the JSON would change: `1.0` becomes `1`. */
const RawBody = z.instanceof(Uint8Array).describe('Notification, signed by PayPal in its headers');

export const receivePayPalWebhook = defineRoute('receivePayPalWebhook POST /payments/paypal/webhook', {
  summary:
    "Receive a notification of PayPal: stored, answered, then verified against PayPal's own record of the payment",
  tag: 'economy',
  audiences: ['people'],
  permission: 'anyone',
  idempotency: 'natural',
  rawBody: true,
  body: RawBody,
  answer: json(z.strictObject({ received: z.literal(true) })),
  reasons: ['paypal_off', 'webhook_refused'],
});

/** PayPal's order carries the agent's id as `custom_id`; the webhook credits this agent. */
export const PayPalOrderBody = z.strictObject({
  agent_id: AgentId,
  amount: z
    .string()
    .max(10)
    .regex(
      /^(?!0+(\.0+)?$)(0|[1-9]\d{0,6})(\.\d{1,2})?$/,
      'write an amount above 0 with at most two places, for example "10.00"',
    )
    .meta({ description: 'Amount in the currency of the village', example: '10.00' }),
});

export const PayPalOrder = z.strictObject({
  order_id: z.string(),
  approval_url: z.url().describe('Page of PayPal where the payer approves'),
  currency: z.string(),
  amount: z.string(),
});

export const PayPalTerms = z.strictObject({
  paypal: z.enum(['off', 'sandbox', 'live']).describe('`sandbox` moves no real money'),
  currency: z.string().nullable(),
  rate: Amount.nullable().describe('aiDollars for one unit of the currency'),
});
export type PayPalTerms = z.infer<typeof PayPalTerms>;

/** Values of the query parameter `payment` of the page. */
export const PAYMENT_OUTCOMES = ['captured', 'not_approved', 'failed', 'cancelled'] as const;
export type PaymentOutcome = (typeof PAYMENT_OUTCOMES)[number];

const orders = { tag: 'economy', placement: 'versioned', audiences: ['people'] } as const;

export const getPayPalTerms = defineRoute('getPayPalTerms GET /payments/paypal/terms', {
  ...orders,
  summary: 'Terms of payments by PayPal: whether the village takes them, currency and rate',
  permission: 'payments:pay',
  answer: json(PayPalTerms),
});

export const createPayPalOrder = defineRoute('createPayPalOrder POST /payments/paypal/orders', {
  ...orders,
  summary: 'Begin a payment by PayPal for an agent; the payer approves it at approval_url',
  permission: 'payments:pay',
  // An order that is not approved moves no money and expires.
  idempotency: 'natural',
  body: PayPalOrderBody,
  status: 201,
  answer: json(PayPalOrder),
  reasons: ['paypal_off', 'no_such_agent', 'payment_failed'],
});

export const returnFromPayPal = defineRoute('returnFromPayPal GET /payments/paypal/return', {
  ...orders,
  summary:
    'Return from PayPal: captures the order once and redirects the payer to /?payment=captured, not_approved or failed. The webhook credits it',
  permission: 'anyone',
  idempotency: 'natural',
  query: z.looseObject({
    token: z.string().regex(/^[A-Z0-9]{1,36}$/, 'write an order id of PayPal: up to 36 capital letters and digits'),
  }),
  answer: { kind: 'redirect' },
  reasons: ['paypal_off'],
});
