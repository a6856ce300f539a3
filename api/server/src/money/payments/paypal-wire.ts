/** Schemas of the fields that the village reads in PayPal's answers. They ignore other fields. */
import { providerMicro } from '@hamlet/core';
import type { VerifiedEvent } from '@hamlet/store';
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

export const Unprocessable = z.object({ details: z.array(z.object({ issue: z.string().max(64) })).max(20) });

/** The body of a notification. `eventOf` interprets its resource. */
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

const CAPTURE_ID = /^[A-Z0-9]{1,64}$/;
const TAKING_ID = /^[A-Z0-9-]{1,64}$/;
const UP_TO_CAPTURE = /\/v2\/payments\/captures\/([A-Z0-9]{1,64})$/;

type Resource = Notification['resource'];
type Said = Pick<VerifiedEvent, 'captureIds' | 'hint' | 'taking'>;

const NOTHING: Said = { captureIds: [], hint: null, taking: null };

function hintOf({ amount, custom_id: customId }: Resource): VerifiedEvent['hint'] {
  const micro = amount === undefined ? null : providerMicro(String(amount.value));
  return amount === undefined || micro === null
    ? null
    : { amount: String(micro), currency: amount.currency_code, customId: customId ?? null };
}

/** The id of the refunded payment, read from the link's path. The API never calls an address from a notification. */
function captureAbove({ links }: Resource): string | undefined {
  return links
    ?.map(({ rel, href }) => (rel === 'up' ? UP_TO_CAPTURE.exec(href)?.[1] : undefined))
    .find((id) => id !== undefined);
}

function taken(kind: 'refund' | 'reversal', resource: Resource): Said {
  const above = captureAbove(resource);
  const captureId = above ?? resource.id;
  if (captureId === undefined || !CAPTURE_ID.test(captureId) || (kind === 'refund' && above === undefined))
    return NOTHING;
  const takingId = resource.id ?? captureId;
  return TAKING_ID.test(takingId) ? { captureIds: [captureId], hint: null, taking: { kind, takingId } } : NOTHING;
}

function disputed({ dispute_id: disputeId, disputed_transactions: transactions }: Resource): Said {
  const captureIds = (transactions ?? []).flatMap(({ seller_transaction_id: id }) =>
    id !== undefined && CAPTURE_ID.test(id) ? [id] : [],
  );
  if (disputeId === undefined || !TAKING_ID.test(disputeId)) return NOTHING;
  return { captureIds: [...new Set(captureIds)], hint: null, taking: { kind: 'dispute', takingId: disputeId } };
}

function said(eventType: string, resource: Resource): Said {
  if (eventType === 'PAYMENT.CAPTURE.REFUNDED') return taken('refund', resource);
  if (eventType === 'PAYMENT.CAPTURE.REVERSED') return taken('reversal', resource);
  if (eventType.startsWith('CUSTOMER.DISPUTE.')) return disputed(resource);
  if (!eventType.startsWith('PAYMENT.CAPTURE.') || resource.id === undefined || !CAPTURE_ID.test(resource.id))
    return NOTHING;
  return {
    captureIds: [resource.id],
    hint: eventType === 'PAYMENT.CAPTURE.COMPLETED' ? hintOf(resource) : null,
    taking: null,
  };
}

/** Parses a notification; null if the body is not one. The result for an event of another kind has no payment. Pure. */
export function eventOf(raw: Uint8Array): VerifiedEvent | null {
  let body: unknown;
  try {
    body = JSON.parse(Buffer.from(raw).toString('utf8'));
  } catch {
    return null;
  }
  const parsed = Notification.safeParse(body);
  if (!parsed.success) return null;
  const { id, event_type: eventType, resource } = parsed.data;
  return { eventId: id, eventType, ...said(eventType, resource) };
}
