import { providerMicro } from '@hamlet/core';
import type { VerifiedEvent } from '@hamlet/store';
import { Notification } from './paypal-wire.ts';

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

/** The payment that a refund belongs to: by the link's path alone, since nothing is ever asked of an address that was sent. */
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

/** What a body says; null where it is no notification. A kind that the village does not follow speaks of no payment. Pure. */
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
