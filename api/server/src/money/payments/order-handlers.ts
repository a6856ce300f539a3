import type { IncomingHttpHeaders } from 'node:http';
import {
  API_PREFIX,
  createPayPalOrder as createPayPalOrderRoute,
  formatAiDollars,
  returnFromPayPal as returnFromPayPalRoute,
} from '@hamlet/contract';
import { plain, type Handlers } from '../../http/handler.ts';
import { accepted, refused } from '../../http/outcome.ts';
import { PAYPAL_HOSTS, PayPalError } from './paypal-client.ts';
import { CallError } from './https-call.ts';
import type { Order } from './paypal-wire.ts';
import type { Village } from '../../village.ts';

const APPROVAL_HOST = { sandbox: 'www.sandbox.paypal.com', live: 'www.paypal.com' } as const satisfies Record<
  keyof typeof PAYPAL_HOSTS,
  string
>;
const APPROVAL_LINKS: ReadonlySet<string> = new Set(['payer-action', 'approve']);

/** The village's origin in the payer's browser. The listener has checked the Origin header against the host. */
const originOf = ({ origin, host = 'localhost' }: IncomingHttpHeaders): string => origin ?? `http://${host}`;

/** The address at PayPal where the payer approves; null if the order has none on PayPal's host. Pure. */
export function approvalUrlOf({ links }: Order, mode: keyof typeof APPROVAL_HOST): string | null {
  const href = links.find(({ rel }) => APPROVAL_LINKS.has(rel))?.href ?? '';
  const url = URL.parse(href);
  return url !== null && url.protocol === 'https:' && url.host === APPROVAL_HOST[mode] ? href : null;
}

const isPayPals = (error: unknown): boolean => error instanceof PayPalError || error instanceof CallError;

/** The API creates orders and captures them after the payer's approval. Only the webhook books money. */
export function orderHandlers({ payments, log, source }: Village) {
  return {
    getPayPalTerms: plain(async () => {
      const { orders, paypalMode, rate } = payments;
      return accepted({
        paypal: paypalMode,
        currency: orders?.currency ?? null,
        rate: orders === null ? null : formatAiDollars(rate.ratePerUnit),
      });
    }),
    createPayPalOrder: plain(async ({ body: { agent_id: agentId, amount }, headers }) => {
      const { orders, paypalMode } = payments;
      if (orders === null || paypalMode === 'off') return refused('paypal_off');
      if (source.get(agentId) === null) return refused('no_such_agent');
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
          return refused(
            'payment_failed',
            'PayPal sent no address where the payer can approve the payment; try again later',
          );
        return accepted({ order_id: order.id, approval_url: approvalUrl, currency: orders.currency, amount: value });
      } catch (error) {
        if (!isPayPals(error)) throw error;
        log('warn', 'PayPal refused to create an order', { route: createPayPalOrderRoute.name, error });
        return refused('payment_failed');
      }
    }),
    returnFromPayPal: plain(async ({ query: { token } }) => {
      const { orders } = payments;
      if (orders === null) return refused('paypal_off');
      try {
        const outcome = await orders.captureOrder(token);
        return accepted(`/?payment=${outcome === 'unknown' ? 'failed' : outcome}`);
      } catch (error) {
        if (!isPayPals(error)) throw error;
        log('warn', 'PayPal refused to capture an order', { order: token, error });
        return accepted('/?payment=failed');
      }
    }),
  } satisfies Partial<Handlers>;
}
