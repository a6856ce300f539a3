/** What PayPal answers, as much of it as the village reads. What is added there later is ignored. */
import { z } from 'zod';

const Money = z.object({ currency_code: z.string().max(3), value: z.string().max(32) });

/** GET /v2/payments/captures/{id} */
export const Capture = z.object({
  id: z.string(),
  status: z.string().max(64),
  amount: Money,
  custom_id: z.string().max(127).nullish(),
});
export type Capture = z.infer<typeof Capture>;

/** GET /v2/payments/refunds/{id} */
export const Refund = z.object({ id: z.string(), status: z.string().max(64), amount: Money });
export type Refund = z.infer<typeof Refund>;

/** GET /v1/customer/disputes/{id} */
export const Dispute = z.object({
  dispute_id: z.string(),
  status: z.string().max(64),
  dispute_amount: Money,
  dispute_outcome: z.object({ outcome_code: z.string().max(64) }).nullish(),
});
export type Dispute = z.infer<typeof Dispute>;

/** POST /v1/oauth2/token */
export const Token = z.object({ access_token: z.string().min(1), expires_in: z.number().min(0) });

/** GET /v1/reporting/transactions */
export const TransactionPage = z.object({
  transaction_details: z.array(
    z.object({
      transaction_info: z.object({
        transaction_id: z.string().min(1).max(64),
        transaction_event_code: z.string().max(8).optional(),
        transaction_initiation_date: z.string(),
        transaction_amount: Money,
        transaction_status: z.string().max(4),
        paypal_reference_id: z.string().max(64).optional(),
        paypal_reference_id_type: z.string().max(8).optional(),
        custom_field: z.string().max(127).optional(),
      }),
    }),
  ),
  last_refreshed_datetime: z.string(),
  page: z.int().optional(),
  total_pages: z.int(),
});
export type TransactionPage = z.infer<typeof TransactionPage>;

const Link = z.object({ href: z.string(), rel: z.string() });

/** POST /v2/checkout/orders */
export const Order = z.object({
  id: z.string().regex(/^[A-Z0-9]{1,36}$/),
  status: z.string().max(64),
  links: z.array(Link).max(20),
});
export type Order = z.infer<typeof Order>;

/** An answer of 422: why PayPal does not do it. */
export const Unprocessable = z.object({ details: z.array(z.object({ issue: z.string().max(64) })).max(20) });

/** The body of a notification. Its resource is of many kinds; what is said of each is in event-words.ts. */
export const Notification = z.object({
  id: z.string().min(1).max(128),
  event_type: z.string().min(1).max(128),
  resource: z
    .object({
      id: z.string().max(64).optional(),
      amount: z
        .object({ currency_code: z.string(), value: z.union([z.string(), z.number()]) })
        .optional()
        .catch(undefined),
      custom_id: z.string().nullish().catch(undefined),
      links: z.array(Link).optional().catch(undefined),
      dispute_id: z.string().max(64).optional(),
      disputed_transactions: z
        .array(z.object({ seller_transaction_id: z.string().max(64).optional() }))
        .optional()
        .catch(undefined),
    })
    .catch({}),
});
export type Notification = z.infer<typeof Notification>;
