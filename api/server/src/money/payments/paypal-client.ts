import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { PayPalSecrets } from './payments-config.ts';
import type { CallHttps, HttpsAnswer } from './https-call.ts';
import { Capture, Dispute, Order, Refund, Token, TransactionPage, Unprocessable } from './paypal-wire.ts';

const TOKEN_MARGIN_S = 60;

export class PayPalError extends Error {
  override readonly name = 'PayPalError';
}

/** A payment to create. `value` is decimal, in the village's currency. */
interface NewOrder {
  readonly customId: string;
  readonly value: string;
  readonly currency: string;
  readonly returnUrl: string;
  readonly cancelUrl: string;
}

interface PayPalClientPorts {
  readonly call: CallHttps;
  readonly hosts: PayPalHosts;
  readonly secrets: PayPalSecrets;
  readonly monotonicMs: () => number;
}

/** Look-ups return null for an unknown object. All methods throw PayPalError if PayPal does not answer. */
export interface PayPalClient {
  capture(captureId: string): Promise<Capture | null>;
  refund(refundId: string): Promise<Refund | null>;
  dispute(disputeId: string): Promise<Dispute | null>;
  createOrder(order: NewOrder): Promise<Order>;
  /** Captures the money of an approved order. Idempotent. */
  captureOrder(orderId: string): Promise<'captured' | 'not_approved' | 'unknown'>;
  /** One page of the payments in a period of at most 31 days. The first page has the number 1. */
  transactions(from: Date, through: Date, page: number): Promise<TransactionPage>;
}

function read<S extends z.ZodType>(schema: S, answer: HttpsAnswer, what: string): z.output<S> {
  if (answer.status !== 200) throw new PayPalError(`${what}: PayPal answered ${answer.status}`);
  try {
    return schema.parse(JSON.parse(answer.body.toString('utf8')));
  } catch {
    throw new PayPalError(`${what}: PayPal's answer does not match its schema`);
  }
}

/** Posts to PayPal. PayPal executes requests with the same id only once. */
type Post = (path: string, body: unknown, id: string) => Promise<HttpsAnswer>;

function orderCalls(post: Post): Pick<PayPalClient, 'createOrder' | 'captureOrder'> {
  async function createOrder({ customId, value, currency, returnUrl, cancelUrl }: NewOrder): Promise<Order> {
    const context = {
      return_url: returnUrl,
      cancel_url: cancelUrl,
      user_action: 'PAY_NOW',
      shipping_preference: 'NO_SHIPPING',
    };
    const unit = { custom_id: customId, amount: { currency_code: currency, value } };
    const answer = await post(
      '/v2/checkout/orders',
      { intent: 'CAPTURE', purchase_units: [unit], payment_source: { paypal: { experience_context: context } } },
      randomUUID(),
    );
    // PayPal answers 201, or 200 if the payer has to act first.
    return read(Order, answer.status === 201 ? { ...answer, status: 200 } : answer, 'order');
  }

  async function captureOrder(orderId: string): Promise<'captured' | 'not_approved' | 'unknown'> {
    const answer = await post(`/v2/checkout/orders/${encodeURIComponent(orderId)}/capture`, {}, `capture-${orderId}`);
    if (answer.status === 200 || answer.status === 201) return 'captured';
    if (answer.status === 404) return 'unknown';
    const issues =
      answer.status === 422
        ? read(Unprocessable, { ...answer, status: 200 }, 'capture').details.map(({ issue }) => issue)
        : [];
    if (issues.includes('ORDER_ALREADY_CAPTURED')) return 'captured';
    if (issues.includes('ORDER_NOT_APPROVED')) return 'not_approved';
    throw new PayPalError(`capture: PayPal answered ${answer.status} ${issues.join(', ')}`);
  }

  return { createOrder, captureOrder };
}

interface BearerToken {
  readonly text: string;
  readonly untilMs: number;
}

// Each search has its own id, because PayPal refuses two concurrent searches with the same id.
const requestId = (): Record<string, string> => ({ 'paypal-request-id': randomUUID() });

async function fetchToken({ call, hosts, secrets, monotonicMs }: PayPalClientPorts): Promise<BearerToken> {
  const credentials = Buffer.from(`${secrets.clientId}:${secrets.clientSecret}`).toString('base64');
  const headers = {
    authorization: `Basic ${credentials}`,
    'content-type': 'application/x-www-form-urlencoded',
    ...requestId(),
  };
  const answer = read(
    Token,
    await call({
      method: 'POST',
      host: hosts.api,
      path: '/v1/oauth2/token',
      headers,
      body: 'grant_type=client_credentials',
    }),
    'token',
  );
  return { text: answer.access_token, untilMs: monotonicMs() + (answer.expires_in - TOKEN_MARGIN_S) * 1_000 };
}

/** Sends requests with a cached bearer token. If PayPal refuses the token, repeats the request once with a new one. */
function withToken(
  ports: PayPalClientPorts,
): (send: (authorization: string) => Promise<HttpsAnswer>) => Promise<HttpsAnswer> {
  let token: Promise<BearerToken> | null = null;

  async function authorization(): Promise<string> {
    const known = await token;
    if (known !== null && known.untilMs > ports.monotonicMs()) return `Bearer ${known.text}`;
    token = fetchToken(ports);
    // A failure is not cached.
    token.catch(() => {
      token = null;
    });
    return `Bearer ${(await token).text}`;
  }

  return async (send) => {
    const answer = await send(await authorization());
    if (answer.status !== 401) return answer;
    token = null;
    return send(await authorization());
  };
}

/** Creates the client. The parser of notifications has checked ids; the client encodes them in paths nevertheless. */
export function createPayPalClient(ports: PayPalClientPorts): PayPalClient {
  const { call } = ports;
  const host = ports.hosts.api;
  const authorized = withToken(ports);

  const get = (path: string): Promise<HttpsAnswer> =>
    authorized((authorization) => call({ method: 'GET', host, path, headers: { authorization, ...requestId() } }));

  const post: Post = (path, body, id) =>
    authorized((authorization) => {
      const headers = {
        authorization,
        'content-type': 'application/json',
        prefer: 'return=minimal',
        'paypal-request-id': id,
      };
      return call({ method: 'POST', host, path, headers, body: JSON.stringify(body) });
    });

  async function find<S extends z.ZodType>(schema: S, path: string): Promise<z.output<S> | null> {
    const answer = await get(path);
    return answer.status === 404 ? null : read(schema, answer, path);
  }

  return {
    ...orderCalls(post),
    capture: (id) => find(Capture, `/v2/payments/captures/${encodeURIComponent(id)}`),
    refund: (id) => find(Refund, `/v2/payments/refunds/${encodeURIComponent(id)}`),
    dispute: (id) => find(Dispute, `/v1/customer/disputes/${encodeURIComponent(id)}`),
    transactions: async (from, through, page) => {
      const query = new URLSearchParams({
        start_date: from.toISOString(),
        end_date: through.toISOString(),
        fields: 'transaction_info',
        page_size: '500',
        page: String(page),
      });
      const path = `/v1/reporting/transactions?${query.toString()}`;
      return read(TransactionPage, await get(path), '/v1/reporting/transactions');
    },
  };
}

type PayPalMode = 'sandbox' | 'live';

export interface PayPalHosts {
  readonly api: string;
  readonly certificates: ReadonlySet<string>;
  readonly signer: string;
}

export const PAYPAL_HOSTS: Readonly<Record<PayPalMode, PayPalHosts>> = {
  sandbox: {
    api: 'api-m.sandbox.paypal.com',
    certificates: new Set(['api.sandbox.paypal.com', 'api-m.sandbox.paypal.com']),
    signer: 'messageverificationcerts.sandbox.paypal.com',
  },
  live: {
    api: 'api-m.paypal.com',
    certificates: new Set(['api.paypal.com', 'api-m.paypal.com']),
    signer: 'messageverificationcerts.paypal.com',
  },
};

const CERT_PATH = /^\/v1\/notifications\/certs\/[A-Za-z0-9._-]{1,100}$/;

interface CertificatePlace {
  readonly host: string;
  readonly path: string;
}

/** An attacker may have written the address. Null unless it is https, on an allowed host, host and path only. Pure. */
export function certificatePlace(text: string, { certificates }: PayPalHosts): CertificatePlace | null {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'https:' || !certificates.has(url.hostname) || !CERT_PATH.test(url.pathname))
    return null;
  // The text must equal its parsed form, so that every other parser reads it in the same way.
  return text === `https://${url.hostname}${url.pathname}` ? { host: url.hostname, path: url.pathname } : null;
}
