import { randomUUID } from 'node:crypto';

const API = 'https://api.sandbox.paypal.com';

export interface Notice {
  readonly eventId: string;
  readonly type: string;
  readonly resource: unknown;
}

const newId = (): string => `WH-${randomUUID().toUpperCase()}`;

/** PayPal's events about payments, in the form of its documentation. */
export const NOTIFICATIONS = {
  capture: (
    type: 'PENDING' | 'COMPLETED' | 'DENIED',
    captureId: string,
    paid: { readonly value: string; readonly customId: string | null },
  ): Notice => ({
    eventId: newId(),
    type: `PAYMENT.CAPTURE.${type}`,
    resource: {
      id: captureId,
      amount: { currency_code: 'USD', value: paid.value },
      status: type,
      custom_id: paid.customId ?? undefined,
      links: [{ href: `${API}/v2/payments/captures/${captureId}`, rel: 'self', method: 'GET' }],
    },
  }),
  refund: (captureId: string, refundId: string, value: string): Notice => ({
    eventId: newId(),
    type: 'PAYMENT.CAPTURE.REFUNDED',
    resource: {
      id: refundId,
      amount: { currency_code: 'USD', value },
      status: 'COMPLETED',
      links: [
        { href: `${API}/v2/payments/refunds/${refundId}`, rel: 'self' },
        { href: `${API}/v2/payments/captures/${captureId}`, rel: 'up' },
      ],
    },
  }),
  reversal: (captureId: string, value: string): Notice => ({
    eventId: newId(),
    type: 'PAYMENT.CAPTURE.REVERSED',
    resource: {
      id: `REV${captureId}`,
      amount: { currency_code: 'USD', value },
      links: [{ href: `${API}/v2/payments/captures/${captureId}`, rel: 'up' }],
    },
  }),
  dispute: (type: 'CREATED' | 'UPDATED' | 'RESOLVED', captureId: string, disputeId: string): Notice => ({
    eventId: newId(),
    type: `CUSTOMER.DISPUTE.${type}`,
    resource: {
      dispute_id: disputeId,
      disputed_transactions: [{ seller_transaction_id: captureId }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
    },
  }),
};

/** The body in PayPal's spelling: `1.0` stays `1.0`, and names may be in any script. */
export function bodyOf({ eventId, type, resource }: Notice, spice = ''): string {
  const rest = JSON.stringify({ event_type: type, resource, summary: `Zahlung über 1.0 für Ærøskøbing 💶 ${spice}` });
  return `{ "id" : ${JSON.stringify(eventId)},"event_version":"1.0", "factor": 1.0, "tiny":1e-7,${rest.slice(1)}`;
}
