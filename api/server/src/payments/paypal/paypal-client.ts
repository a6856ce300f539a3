import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { PayPalSecrets } from '../payments-config.ts';
import type { PayPalHosts } from './hosts.ts';
import type { CallHttps, HttpsAnswer } from './https-call.ts';
import { Capture, Dispute, Refund, Token, TransactionPage } from './paypal-wire.ts';

/** A token is not used in its last minute. */
const TOKEN_MARGIN_S = 60;

/** PayPal could not be asked, or answered what cannot be read; later it may. */
export class PayPalError extends Error {
  override readonly name = 'PayPalError';
}

export interface PayPalClientPorts {
  readonly call: CallHttps;
  readonly hosts: PayPalHosts;
  readonly secrets: PayPalSecrets;
  readonly monotonicMs: () => number;
}

/** What the village asks PayPal. Null where PayPal knows no such thing; throws PayPalError where it does not answer. */
export interface PayPalClient {
  capture(captureId: string): Promise<Capture | null>;
  refund(refundId: string): Promise<Refund | null>;
  dispute(disputeId: string): Promise<Dispute | null>;
  /** A page of the payments of a time of at most 31 days; pages count from 1. */
  transactions(from: Date, through: Date, page: number): Promise<TransactionPage>;
}

function read<S extends z.ZodType>(schema: S, answer: HttpsAnswer, what: string): z.output<S> {
  if (answer.status !== 200) throw new PayPalError(`${what}: PayPal answers ${answer.status}`);
  try {
    return schema.parse(JSON.parse(answer.body.toString('utf8')));
  } catch {
    throw new PayPalError(`${what}: PayPal's answer cannot be read`);
  }
}

/** Ids are checked where they are read from notifications; what is written into a path is encoded all the same. */
export function createPayPalClient({ call, hosts, secrets, monotonicMs }: PayPalClientPorts): PayPalClient {
  const host = hosts.api;
  let token: Promise<{ readonly text: string; readonly untilMs: number }> | null = null;

  // Each call has an id of its own: two at once under one id would hinder each other, and nothing that is asked changes anything there.
  const requestId = (): Record<string, string> => ({ 'paypal-request-id': randomUUID() });

  async function fetchToken(): Promise<{ readonly text: string; readonly untilMs: number }> {
    const credentials = Buffer.from(`${secrets.clientId}:${secrets.clientSecret}`).toString('base64');
    const headers = { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded', ...requestId() };
    const answer = read(Token, await call({ method: 'POST', host, path: '/v1/oauth2/token', headers, body: 'grant_type=client_credentials' }), 'token');
    return { text: answer.access_token, untilMs: monotonicMs() + (answer.expires_in - TOKEN_MARGIN_S) * 1_000 };
  }

  async function bearer(): Promise<string> {
    const known = await token;
    if (known !== null && known.untilMs > monotonicMs()) return known.text;
    token = fetchToken();
    // One that could not be had is not kept.
    token.catch(() => {
      token = null;
    });
    return (await token).text;
  }

  async function get(path: string): Promise<HttpsAnswer> {
    const answer = await call({ method: 'GET', host, path, headers: { authorization: `Bearer ${await bearer()}`, ...requestId() } });
    if (answer.status !== 401) return answer;
    token = null;
    return call({ method: 'GET', host, path, headers: { authorization: `Bearer ${await bearer()}`, ...requestId() } });
  }

  async function find<S extends z.ZodType>(schema: S, path: string): Promise<z.output<S> | null> {
    const answer = await get(path);
    return answer.status === 404 ? null : read(schema, answer, path);
  }

  return {
    capture: (id) => find(Capture, `/v2/payments/captures/${encodeURIComponent(id)}`),
    refund: (id) => find(Refund, `/v2/payments/refunds/${encodeURIComponent(id)}`),
    dispute: (id) => find(Dispute, `/v1/customer/disputes/${encodeURIComponent(id)}`),
    transactions: async (from, through, page) => {
      const query = new URLSearchParams({
        start_date: from.toISOString(), end_date: through.toISOString(), fields: 'transaction_info', page_size: '500', page: String(page),
      });
      const path = `/v1/reporting/transactions?${query.toString()}`;
      return read(TransactionPage, await get(path), '/v1/reporting/transactions');
    },
  };
}
