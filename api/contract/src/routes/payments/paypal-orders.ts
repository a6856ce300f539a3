import { z } from 'zod';
import { defineRoute } from '../../route.ts';
import { Amount } from '../../money.ts';
import { AgentId } from '../scalars.ts';

/** What a person pays in for an agent. PayPal's order carries the agent's id as `custom_id`, and the webhook books by it. */
export const PayPalOrderBody = z.strictObject({
  agent_id: AgentId,
  amount: z
    .string()
    .max(10)
    .regex(
      /^(?!0+(\.0+)?$)(0|[1-9]\d{0,6})(\.\d{1,2})?$/,
      'write an amount above 0 with at most two places, for example "10.00"',
    )
    .meta({ description: 'In the currency that the village takes', example: '10.00' }),
});

/** An order of PayPal that waits for the payer. */
export const PayPalOrder = z.strictObject({
  order_id: z.string(),
  approval_url: z.url().meta({ description: 'Where the payer approves, at PayPal' }),
  currency: z.string(),
  amount: z.string(),
});
export type PayPalOrder = z.infer<typeof PayPalOrder>;

/** What a payer must know beforehand. Currency and rate are null where PayPal is off. */
export const PayPalTerms = z.strictObject({
  paypal: z.enum(['off', 'sandbox', 'live']).meta({ description: 'sandbox: PayPal moves no real money' }),
  currency: z.string().nullable(),
  rate: Amount.nullable().meta({ description: 'aiDollars for one unit of the currency' }),
});
export type PayPalTerms = z.infer<typeof PayPalTerms>;

/** How a way back from PayPal ended, as `payment` in the address of the page. */
export const PAYMENT_OUTCOMES = ['captured', 'not_approved', 'failed', 'cancelled'] as const;
export type PaymentOutcome = (typeof PAYMENT_OUTCOMES)[number];

const orders = { tag: 'economy', placement: 'versioned', audiences: ['people'] } as const;

export const getPayPalTerms = defineRoute({
  ...orders,
  name: 'getPayPalTerms',
  summary: 'Whether the village takes payments by PayPal, in which currency and at which rate',
  method: 'GET',
  path: '/payments/paypal/terms',
  permission: 'payments:pay',
  idempotency: 'read',
  answer: { kind: 'json', schema: PayPalTerms },
  reasons: [],
});

export const createPayPalOrder = defineRoute({
  ...orders,
  name: 'createPayPalOrder',
  summary: 'Begin a payment by PayPal for an agent; the payer approves it at approval_url',
  method: 'POST',
  path: '/payments/paypal/orders',
  permission: 'payments:pay',
  // An order that nobody approves moves nothing, and ends by itself.
  idempotency: 'natural',
  body: PayPalOrderBody,
  status: 201,
  answer: { kind: 'json', schema: PayPalOrder },
  reasons: ['paypal_off', 'no_such_agent', 'payment_failed'],
});

export const returnFromPayPal = defineRoute({
  ...orders,
  name: 'returnFromPayPal',
  summary:
    'The way back from PayPal: captures the order, once, and sends the payer to /?payment=captured, not_approved or failed. The webhook books it',
  method: 'GET',
  path: '/payments/paypal/return',
  permission: 'anyone',
  idempotency: 'natural',
  query: z.looseObject({ token: z.string().regex(/^[A-Z0-9]{1,36}$/, 'an order id of PayPal') }),
  answer: { kind: 'redirect' },
  reasons: ['paypal_off'],
});
