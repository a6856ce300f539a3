import type { IncomingHttpHeaders } from 'node:http';
import {
  API_PREFIX,
  createPayPalOrder as createPayPalOrderRoute,
  formatAiDollars,
  returnFromPayPal as returnFromPayPalRoute,
} from '@hamlet/contract';
import type { Handlers } from '../../http/handler.ts';
import { accepted, refused } from '../../http/outcome.ts';
import type { Services } from '../../routes/services.ts';
import { PAYPAL_HOSTS } from './hosts.ts';
import { CallError } from './https-call.ts';
import { PayPalError } from './paypal-client.ts';
import type { Order } from './paypal-wire.ts';

/** Where a payer approves: PayPal's own pages, and nothing else that an answer may name. */
const APPROVAL_HOST = { sandbox: 'www.sandbox.paypal.com', live: 'www.paypal.com' } as const satisfies Record<
  keyof typeof PAYPAL_HOSTS,
  string
>;
const APPROVAL_LINKS: ReadonlySet<string> = new Set(['payer-action', 'approve']);

/** The village as its payer sees it: a browser says so itself, and the listener has held that to the host. */
function originOf({ origin, host = 'localhost' }: IncomingHttpHeaders): string {
  return origin ?? `http://${host}`;
}

/** The address at PayPal at which the payer approves; null where the order names none. Pure. */
export function approvalUrlOf({ links }: Order, mode: keyof typeof APPROVAL_HOST): string | null {
  const href = links.find(({ rel }) => APPROVAL_LINKS.has(rel))?.href ?? '';
  const url = URL.parse(href);
  return url !== null && url.protocol === 'https:' && url.host === APPROVAL_HOST[mode] ? href : null;
}

const isPayPals = (error: unknown): boolean => error instanceof PayPalError || error instanceof CallError;

type Names = 'getPayPalTerms' | 'createPayPalOrder' | 'returnFromPayPal';
type OrderServices = Pick<Services, 'source' | 'payments' | 'log'>;

function getPayPalTerms({ payments }: OrderServices): Handlers['getPayPalTerms'] {
  return {
    kind: 'plain',
    run: async () => {
      const { orders, paypalMode, rate } = payments;
      return accepted({
        paypal: paypalMode,
        currency: orders?.currency ?? null,
        rate: orders === null ? null : formatAiDollars(rate.ratePerUnit),
      });
    },
  };
}

function createPayPalOrder({ source, payments, log }: OrderServices): Handlers['createPayPalOrder'] {
  return {
    kind: 'plain',
    run: async ({ body: { agent_id: agentId, amount }, headers }) => {
      const { orders, paypalMode } = payments;
      if (orders === null || paypalMode === 'off') return refused('paypal_off');
      if (source.get(agentId) === null) return refused('no_such_agent', `There is no agent ${agentId}`);
      const [whole = '0', places = ''] = amount.split('.');
      const value = `${whole}.${places.padEnd(2, '0')}`;
      const origin = originOf(headers);
      try {
        const order = await orders.createOrder({
          customId: agentId,
          value,
          currency: orders.currency,
          returnUrl: `${origin}${API_PREFIX}${returnFromPayPalRoute.path}`,
          cancelUrl: `${origin}/?payment=cancelled`,
        });
        const approvalUrl = approvalUrlOf(order, paypalMode);
        if (approvalUrl === null)
          return refused('payment_failed', 'PayPal names no page of its own to approve the payment at');
        return accepted({ order_id: order.id, approval_url: approvalUrl, currency: orders.currency, amount: value });
      } catch (error) {
        if (!isPayPals(error)) throw error;
        log('warn', 'PayPal did not begin a payment', { route: createPayPalOrderRoute.name, error });
        return refused('payment_failed');
      }
    },
  };
}

function returnFromPayPal({ payments, log }: OrderServices): Handlers['returnFromPayPal'] {
  return {
    kind: 'plain',
    run: async ({ query: { token } }) => {
      const { orders } = payments;
      if (orders === null) return refused('paypal_off');
      try {
        const outcome = await orders.captureOrder(token);
        return accepted(`/?payment=${outcome === 'unknown' ? 'failed' : outcome}`);
      } catch (error) {
        if (!isPayPals(error)) throw error;
        log('warn', 'PayPal did not capture an order', { order: token, error });
        return accepted('/?payment=failed');
      }
    },
  };
}

/** Orders of payers: begun here, approved at PayPal, captured on the way back. Only the webhook books them. */
export function orderHandlers(services: OrderServices): Pick<Handlers, Names> {
  return {
    getPayPalTerms: getPayPalTerms(services),
    createPayPalOrder: createPayPalOrder(services),
    returnFromPayPal: returnFromPayPal(services),
  };
}
