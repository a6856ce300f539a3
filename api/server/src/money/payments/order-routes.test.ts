/** PayPal orders from their creation to the ledger, against a stand-in for PayPal. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuses } from '@hamlet/test/env/client';
import { atEnd } from '@hamlet/test/env/at-end';
import { clientOf, eventually, TOKENS, testVillage, Play } from '../../testing/test-village.ts';
import { NOTIFICATIONS } from '../testing/notifications.ts';
import { PayPlay } from '../testing/pay-play.ts';
import { startPayPalStandIn } from '../testing/paypal-stand-in.ts';
import { approvalUrlOf } from './order-handlers.ts';

const [village, standIn] = await Promise.all([testVillage(), startPayPalStandIn()]);
const play = new Play((await village.startReplica({ ...standIn.environment, HAMLET_PAYPAL_RATE: '2' })).peopleUrl);
const pay = new PayPlay(play.url, play.admin, standIn);
await play.everybody();
atEnd(() => standIn.close());

// A browser opens returnFromPayPal, so the test calls it by its address.
async function comeBack(orderId: string): Promise<string | null> {
  const response = await fetch(`${play.url}/api/v1/payments/paypal/return?token=${orderId}&PayerID=P1`, {
    redirect: 'manual',
  });
  assert.equal(response.status, 303);
  return response.headers.get('location');
}

test('a member creates an order, approves it at PayPal and returns several times; the webhook books it once', async () => {
  const order = await clientOf(play.url, TOKENS.member).createPayPalOrder({ agent_id: 'cleo', amount: '7.5' });
  assert.deepEqual(
    [order.amount, order.currency, order.approval_url],
    ['7.50', 'USD', `https://www.sandbox.paypal.com/checkoutnow?token=${order.order_id}`],
  );
  const booked = standIn.books.orders.get(order.order_id);
  assert.ok(booked !== undefined);
  assert.deepEqual(
    [booked.customId, booked.value, booked.returnUrl],
    ['cleo', '7.50', `${play.url}/api/v1/payments/paypal/return`],
  );
  assert.equal(await comeBack(order.order_id), '/?payment=not_approved');
  booked.approved = true;
  for (let times = 0; times < 3; times += 1) assert.equal(await comeBack(order.order_id), '/?payment=captured');
  const captureId = booked.captureId ?? '';
  assert.equal(await pay.balance('cleo'), '0', 'the return books nothing');
  for (let times = 0; times < 2; times += 1)
    assert.equal(
      await pay.notify(NOTIFICATIONS.capture('COMPLETED', captureId, { value: '7.50', customId: 'cleo' })),
      200,
    );
  await eventually('the credit', async () => (await pay.credit(captureId))?.net === '15');
  assert.equal(await pay.balance('cleo'), '15');
});

test('a payer can read the currency, the rate and whether PayPal is on', async () => {
  assert.deepEqual(await clientOf(play.url, TOKENS.member).getPayPalTerms(), {
    paypal: 'sandbox',
    currency: 'USD',
    rate: '2',
  });
});

test('the return of an unknown order books nothing, and an outage of PayPal is reported', async () => {
  const { admin } = play;
  assert.equal(await comeBack('NOSUCHORDER'), '/?payment=failed');
  await refuses(admin.createPayPalOrder({ agent_id: 'nobody', amount: '1' }), 'no_such_agent');
  for (const amount of ['0', '0.00', '1.234', '-1', '1e3', '99999999'])
    await refuses(admin.createPayPalOrder({ agent_id: 'ada', amount }), 'validation_failed', amount);
  standIn.detours.set('/v2/checkout/orders', { times: 1, answer: (response) => void response.writeHead(500).end() });
  await refuses(admin.createPayPalOrder({ agent_id: 'ada', amount: '1' }), 'payment_failed');
  assert.equal(
    approvalUrlOf(
      { id: 'A', status: 'CREATED', links: [{ rel: 'approve', href: 'https://www.paypal.com.elsewhere.test/' }] },
      'live',
    ),
    null,
  );
});

test('a village without PayPal refuses orders with paypal_off', async () => {
  const without = await village.startReplica();
  assert.deepEqual(await clientOf(without.peopleUrl, TOKENS.member).getPayPalTerms(), {
    paypal: 'off',
    currency: null,
    rate: null,
  });
  await refuses(
    clientOf(without.peopleUrl, TOKENS.admin).createPayPalOrder({ agent_id: 'ada', amount: '1' }),
    'paypal_off',
  );
  assert.equal(
    (await fetch(`${without.peopleUrl}/api/v1/payments/paypal/return?token=A1`, { redirect: 'manual' })).status,
    409,
  );
});
