/** PayPal payments from the notification to the ledger, against a stand-in for PayPal. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { test } from 'node:test';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { atEnd } from '@hamlet/test/env/at-end';
import { refuses } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { createIncomePort } from '../ledger/income.ts';
import { clientOf, eventually, TOKENS, testVillage, Play } from '../../testing/test-village.ts';
import { reconcilePayPal } from './fetch-statement.ts';
import { PAYPAL_HOSTS, createPayPalClient, type PayPalClient } from './paypal-client.ts';
import { createHttpsCaller } from './https-call.ts';
import { settleCaptures } from './settle-captures.ts';
import { assertBooks } from '../testing/purse-play.ts';
import { bodyOf, NOTIFICATIONS } from '../testing/notifications.ts';
import { newPaymentId, PayPlay } from '../testing/pay-play.ts';
import { ELSEWHERE, startPayPalStandIn } from '../testing/paypal-stand-in.ts';

const DAY_MS = 86_400_000;
const RATE = { currency: 'USD', ratePerUnit: 2_000_000n };

const [village, standIn] = await Promise.all([testVillage(), startPayPalStandIn()]);
const replica = await village.startReplica({
  ...standIn.environment,
  HAMLET_PAYPAL_RATE: '2',
  HAMLET_CREDIT_LIMIT: '50',
});
const play = new Play(replica.peopleUrl);
const pay = new PayPlay(play.url, play.admin, standIn);
const db = village.openDb();
await play.everybody();
atEnd(() => standIn.close());

/** A second client of PayPal, used by the test instead of the replica. */
async function ownClient(): Promise<{ readonly client: PayPalClient; close(): void }> {
  const { HAMLET_PAYPAL_PROXY: proxyUrl = null, HAMLET_PAYPAL_CA_FILE: caFile = '' } = standIn.environment;
  const hosts = PAYPAL_HOSTS.sandbox;
  const { call, close } = createHttpsCaller({
    hosts: new Set([hosts.api]),
    proxyUrl,
    roots: [await readFile(caFile, 'utf8')],
  });
  return {
    client: createPayPalClient({
      call,
      hosts,
      secrets: { clientId: 'a', clientSecret: 'b', webhookId: 'c' },
      monotonicMs: () => performance.now(),
    }),
    close,
  };
}

test('a payment is credited at the rate of its currency, with its transaction as the source', async () => {
  const captureId = await pay.paid('ada', '12.50');
  await pay.stands(captureId, '25');
  const [entry] = await pay.entries('ada');
  assert.deepEqual([entry?.amount, entry?.reason, entry?.source], ['25', 'deposit_credit', captureId]);
  const credit = await pay.credit(captureId);
  assert.deepEqual(
    [credit?.origin, credit?.requested_by, credit?.ledger_entry_id],
    ['webhook', 'paypal', entry?.ledger_entry_id],
  );
  const asked = standIn.requests.filter((request) => request.includes(captureId));
  assert.deepEqual(asked, [`GET api-m.sandbox.paypal.com /v2/payments/captures/${captureId}`]);
});

test("the amount in PayPal's answer counts, not the amount in the notification", async () => {
  const captureId = newPaymentId('C');
  standIn.books.pay(captureId, { value: '1.00', customId: 'bob' });
  await pay.notify(NOTIFICATIONS.capture('COMPLETED', captureId, { value: '100.00', customId: 'bob' }));
  await pay.waits(captureId, 'differs_from_event');
  const unknown = newPaymentId('C');
  await pay.notify(NOTIFICATIONS.capture('COMPLETED', unknown, { value: '1.00', customId: 'bob' }));
  await pay.waits(unknown, 'not_found');
  assert.equal(await pay.balance('bob'), '0');
});

test('a payment waits until it is completed, has the right currency and names an existing agent', async () => {
  const pending = newPaymentId('C');
  standIn.books.pay(pending, { value: '3.00', customId: 'bob', status: 'PENDING' });
  await pay.notify(NOTIFICATIONS.capture('PENDING', pending, { value: '3.00', customId: 'bob' }));
  await pay.waits(pending, 'not_completed');
  standIn.books.pay(pending, { value: '3.00', customId: 'bob' });
  await pay.notify(NOTIFICATIONS.capture('COMPLETED', pending, { value: '3.00', customId: 'bob' }));
  await pay.stands(pending, '6');
  await pay.waits(await pay.paid('nobody', '1.00'), 'no_such_agent');
  await pay.waits(await pay.paid('Bob; drop table', '1.00'), 'no_such_agent');
  const euros = newPaymentId('C');
  standIn.books.pay(euros, { value: '1.00', customId: 'bob', currency: 'EUR' });
  await pay.notify(NOTIFICATIONS.capture('PENDING', euros, { value: '1.00', customId: 'bob' }));
  await pay.waits(euros, 'other_currency');
  assert.equal(await pay.balance('bob'), '6');
});

test('refunds take their amount back, even if it is spent; a dispute takes the money and returns it if the village wins', async () => {
  const captureId = await pay.paid('cleo', '10.00');
  await pay.stands(captureId, '20');
  standIn.books.refunds.set('REF1', { value: '2.50', status: 'COMPLETED' });
  standIn.books.pay(captureId, { value: '10.00', customId: 'cleo', status: 'PARTIALLY_REFUNDED' });
  await pay.notify(NOTIFICATIONS.refund(captureId, 'REF1', '2.50'));
  await pay.stands(captureId, '15');
  standIn.books.disputes.set('PP-D-1', { value: '7.50', status: 'UNDER_REVIEW', outcome: null });
  await pay.notify(NOTIFICATIONS.dispute('CREATED', captureId, 'PP-D-1'));
  await pay.stands(captureId, '0');
  standIn.books.disputes.set('PP-D-1', { value: '7.50', status: 'RESOLVED', outcome: 'RESOLVED_SELLER_FAVOUR' });
  await pay.notify(NOTIFICATIONS.dispute('RESOLVED', captureId, 'PP-D-1'));
  await pay.stands(captureId, '15');
  assert.equal(await pay.balance('cleo'), '15');
  await pay.notify(NOTIFICATIONS.reversal(captureId, '7.50'));
  await pay.stands(captureId, '0');
  assert.deepEqual((await pay.entries('cleo')).map(({ amount, reason }) => [reason, amount]).reverse(), [
    ['deposit_credit', '20'],
    ['refund', '-20'],
    ['deposit_credit', '15'],
    ['refund', '-15'],
    ['deposit_credit', '15'],
    ['refund', '-15'],
  ]);
});

test('a refund that arrives before its payment counts, and the balance shows the debt', async () => {
  const captureId = newPaymentId('C');
  standIn.books.refunds.set('REF2', { value: '4.00', status: 'COMPLETED' });
  await pay.notify(NOTIFICATIONS.refund(captureId, 'REF2', '4.00'));
  await pay.waits(captureId, 'not_found');
  standIn.books.pay(captureId, { value: '10.00', customId: 'dan', status: 'PARTIALLY_REFUNDED' });
  await pay.notify(NOTIFICATIONS.capture('COMPLETED', captureId, { value: '10.00', customId: 'dan' }));
  await pay.stands(captureId, '12');
  await play.admin.penalizeAgent({ agent_id: 'dan', amount: '12', reason: 'spent it all' });
  await pay.notify(NOTIFICATIONS.reversal(captureId, '6.00'));
  await pay.stands(captureId, '0');
  assert.equal(await pay.balance('dan'), '-12');
  assert.deepEqual((await play.admin.getReconciliation()).in_debt, [{ agent_id: 'dan', balance: '-12' }]);
});

test("a payment that an admin credited is not credited again; its refund takes back the admin's credit", async () => {
  const captureId = newPaymentId('C');
  await play.admin.createCredit({ agent_id: 'eve', provider_transaction_id: captureId, amount: '20' });
  standIn.books.pay(captureId, { value: '10.00', customId: 'eve' });
  await pay.notify(NOTIFICATIONS.capture('COMPLETED', captureId, { value: '10.00', customId: 'eve' }));
  await eventually('the request for the payment', () =>
    standIn.requests.some((request) => request.endsWith(captureId)),
  );
  standIn.books.pay(captureId, { value: '10.00', customId: 'eve', status: 'REFUNDED' });
  standIn.books.refunds.set('REF3', { value: '10.00', status: 'COMPLETED' });
  await pay.notify(NOTIFICATIONS.refund(captureId, 'REF3', '10.00'));
  await pay.stands(captureId, '0');
  assert.deepEqual((await pay.entries('eve')).map(({ amount }) => amount).reverse(), ['20', '-20']);
});

test("a payment waits for an admin's proposal; if the proposal is rejected, the notification is booked", async () => {
  const captureId = newPaymentId('C');
  const { credit } = await play.admin.createCredit({
    agent_id: 'eve',
    provider_transaction_id: captureId,
    amount: '60',
  });
  assert.equal(credit.state, 'proposed');
  standIn.books.pay(captureId, { value: '1.00', customId: 'eve' });
  await pay.notify(NOTIFICATIONS.capture('COMPLETED', captureId, { value: '1.00', customId: 'eve' }));
  await pay.waits(captureId, 'proposed_by_hand');
  await play.admin.rejectCredit({ credit_id: credit.credit_id, reason: 'it was one' });
  await pay.notify(NOTIFICATIONS.capture('COMPLETED', captureId, { value: '1.00', customId: 'eve' }));
  await eventually('credited', async () => (await pay.credit(captureId))?.origin === 'webhook');
  assert.equal(await pay.balance('eve'), '2');
});

test('a partial refund for a deleted agent leaves the rest in its closed account', async () => {
  const captureId = await pay.paid('fay', '5.00');
  await pay.stands(captureId, '10');
  const { uid } = await play.agent('fay');
  await clientOf(play.url, TOKENS.operator).closeAgent({ agent_id: 'fay', uid });
  standIn.books.refunds.set('REF4', { value: '2.00', status: 'COMPLETED' });
  await pay.notify(NOTIFICATIONS.refund(captureId, 'REF4', '2.00'));
  await pay.stands(captureId, '6');
  assert.equal(await pay.balance('fay'), '6');
  const manual = { agent_id: 'fay', provider_transaction_id: newPaymentId('M'), amount: '1' };
  await refuses(play.admin.createCredit(manual), 'account_closed');
});

test('a late answer of PayPal is not booked if another replica has read the payment since', async () => {
  const captureId = await pay.paid('ada', '4.00');
  await pay.stands(captureId, '8');
  let late: ServerResponse | undefined;
  standIn.detours.set('/v1/customer/disputes/PP-D-2', { times: 1, answer: (response) => void (late = response) });
  await pay.notify(NOTIFICATIONS.dispute('CREATED', captureId, 'PP-D-2'));
  const held = await eventually('the request for the dispute', () => late);
  standIn.books.disputes.set('PP-D-2', { value: '4.00', status: 'RESOLVED', outcome: 'RESOLVED_SELLER_FAVOUR' });
  // Makes only this payment due.
  await db
    .updateTable('paypal_capture')
    .set({ due_at: new Date(Date.now() + DAY_MS) })
    .where('due_at', 'is not', null)
    .execute();
  await db
    .updateTable('paypal_capture')
    .set({ due_at: new Date(0) })
    .where('capture_id', '=', captureId)
    .execute();
  const { client, close } = await ownClient();
  const income = createIncomePort({ tiers: { recompute: () => Promise.resolve() }, lives: () => true });
  assert.equal(await settleCaptures({ db, client, income, config: RATE, log: () => undefined }), 1);
  close();
  held.end(
    JSON.stringify({ dispute_id: 'PP-D-2', status: 'OPEN', dispute_amount: { currency_code: 'USD', value: '4.00' } }),
  );
  // The replica settles payments one after another: once the next one is credited, it has processed the late answer.
  await pay.stands(await pay.paid('bob', '1.00'), '2');
  assert.deepEqual(
    pluck(
      (await pay.entries('ada')).filter(({ source }) => source.startsWith(captureId)),
      'amount',
    ),
    ['8'],
  );
});

test('a delivery that PayPal would not send is refused before it is stored', async () => {
  const body = bodyOf(NOTIFICATIONS.capture('COMPLETED', newPaymentId('C'), { value: '1.00', customId: 'ada' }));
  const good = standIn.sign(body);
  const wrong: readonly Readonly<Record<string, string>>[] = [
    { 'paypal-auth-algo': 'SHA1withRSA' },
    { 'paypal-transmission-id': '' },
    { 'paypal-transmission-sig': '' },
    { 'paypal-transmission-sig': 'no signature' },
    { 'paypal-transmission-time': new Date(Date.now() - 5 * DAY_MS).toISOString() },
    { 'paypal-transmission-time': new Date(Date.now() + DAY_MS).toISOString() },
    { 'paypal-transmission-time': 'yesterday' },
    { 'paypal-cert-url': `https://${ELSEWHERE}/v1/notifications/certs/CERT-good` },
    { 'paypal-cert-url': 'https://127.0.0.1/v1/notifications/certs/CERT-good' },
  ];
  for (const change of wrong)
    assert.deepEqual(
      await pay.send({ headers: { ...good.headers, ...change }, body }),
      { status: 400, code: 'webhook_refused' },
      JSON.stringify(change),
    );
  for (const odd of ['{}', '[1.0]', 'nonsense', Uint8Array.of(0xff, 0xfe)])
    assert.equal((await pay.send(standIn.sign(odd))).code, 'webhook_refused', String(odd));
  assert.deepEqual(await pay.send({ headers: good.headers, body: '' }), { status: 400, code: 'webhook_refused' });
  assert.deepEqual(
    await pay.send(standIn.sign(`{"id":"WH-1","event_type":"X","resource":{},"long":"${'x'.repeat(33_000)}"}`)),
    { status: 413, code: 'body_too_large' },
  );
});

test("a delivery without PayPal's signature is stored and acknowledged, and never booked", async () => {
  const captureId = newPaymentId('C');
  standIn.books.pay(captureId, { value: '1.00', customId: 'ada' });
  const notice = NOTIFICATIONS.capture('COMPLETED', captureId, { value: '1.00', customId: 'ada' });
  const tampered = standIn.sign(bodyOf(notice));
  assert.equal((await pay.send({ ...tampered, body: bodyOf(notice, 'changed on its way') })).status, 200);
  assert.equal(await pay.notify(notice, { by: 'stranger' }), 200);
  assert.equal(await pay.notify(notice, { by: 'forged' }), 200);
  assert.equal(await pay.notify(notice, { webhookId: 'of-another-village' }), 200);
  const statesOf = async () =>
    (
      await db.selectFrom('paypal_delivery').select(['state', 'why']).orderBy('received_at', 'desc').limit(4).execute()
    ).map(({ state, why }) => `${state} ${why}`);
  await eventually('the verification of all deliveries', async () =>
    (await statesOf()).every((state) => !state.endsWith('null')),
  );
  assert.deepEqual((await statesOf()).reverse(), [
    'refused the signature does not match this delivery',
    'waiting the certificate does not name the expected signer',
    'waiting the certificate has no chain to a trusted authority, or is out of date',
    'refused the signature does not match this delivery',
  ]);
  assert.equal(
    standIn.requests.some((request) => request.includes(captureId)),
    false,
    'the API does not call PayPal for it',
  );
  assert.equal(await pay.notify(notice), 200, 'an event id from a forgery is accepted when PayPal sends it');
  await pay.stands(captureId, '2');
});

test('the body of a refused delivery is deleted; a delivery with a non-existent certificate is refused at once', async () => {
  const { headers, body } = standIn.sign(
    bodyOf(NOTIFICATIONS.capture('COMPLETED', newPaymentId('C'), { value: '1.00', customId: 'ada' })),
    { certUrl: standIn.certUrl('good').replace('CERT-good', 'CERT-none') },
  );
  assert.equal((await pay.send({ headers, body })).status, 200);
  const transmission = headers['paypal-transmission-id'] ?? '';
  const refusal = await eventually('the refusal of the delivery', async () => {
    const row = await db
      .selectFrom('paypal_delivery')
      .select(['state', 'why', 'raw', 'attempts'])
      .where('transmission_id', '=', transmission)
      .executeTakeFirst();
    return row?.state === 'refused' && row;
  });
  assert.deepEqual([refusal.why, refusal.raw, refusal.attempts], ['PayPal has no such certificate', null, 1]);
  assert.equal(await countOf("state = 'refused' and raw is not null"), 0);
});

async function countOf(where: string): Promise<number> {
  const superuser = openSuperuser(village.postgres);
  const [row] = await superuser.run(`select count(*)::int as count from paypal_delivery where ${where}`);
  await superuser.close();
  return Number(row?.['count']);
}

test('a flood of forgeries fills only its own queue; the API accepts and verifies notifications with a known certificate first', async () => {
  const superuser = openSuperuser(village.postgres);
  await superuser.run(`insert into paypal_delivery (digest, transmission_id, transmission_time, cert_url, signature, raw, due_at)
    select sha256(n::text::bytea), n, 'now', 'https://api.sandbox.paypal.com/v1/notifications/certs/CERT-' || n, 'x', 'x', now() + interval '1 hour' from generate_series(1, 1001) n`);
  const notice = (): ReturnType<typeof NOTIFICATIONS.capture> =>
    NOTIFICATIONS.capture('COMPLETED', newPaymentId('C'), { value: '1.00', customId: 'ada' });
  assert.equal(
    await pay.notify(notice(), { certUrl: standIn.certUrl('good').replace('CERT-good', 'CERT-other') }),
    429,
  );
  await pay.stands(await pay.paid('ada', '1.00'), '2');
  const [row] = await superuser.run(
    "select known from paypal_delivery where state = 'verified' order by received_at desc limit 1",
  );
  assert.equal(row?.['known'], true);
  await superuser.run("delete from paypal_delivery where transmission_time = 'now'");
  await superuser.close();
});

test("the API compares the books with PayPal's statement once a day", async () => {
  await eventually(
    'the comparison at the start',
    async () => (await play.admin.getReconciliation()).providers.length === 1,
  );
  const credited = await db
    .selectFrom('deposit')
    .select(['transaction_id', 'net'])
    .where('state', '=', 'credited')
    .orderBy('deposit_id')
    .execute();
  const value = (net: unknown): string => (Number(net) / 2_000_000).toFixed(2);
  standIn.books.transactions = credited.flatMap(({ transaction_id: id, net }, index) =>
    index === 0 || Number(net) === 0 ? [] : [{ id, value: index === 1 ? '999.00' : value(net) }],
  );
  standIn.books.transactions.push(
    { id: 'ONLYTHEIRS', value: '5.00', customId: 'ada' },
    { id: 'AFEE', value: '-0.30', code: 'T0106' },
    { id: 'PAYOUT', value: '-9.00', code: 'T0400' },
  );
  const { client, close } = await ownClient();
  await reconcilePayPal({ db, client, rate: RATE, now: new Date(Date.now() + 1_000) });
  close();
  const view = await play.admin.getReconciliation();
  const gone = credited.filter(({ net }) => Number(net) === 0).map(({ transaction_id: id }) => id);
  assert.deepEqual(
    view.only_theirs.map(({ provider_transaction_id: id, agent_id: agent }) => [id, agent]),
    [['ONLYTHEIRS', 'ada']],
  );
  assert.deepEqual(
    view.only_ours.map(({ provider_transaction_id: id }) => id).sort(),
    [credited[0]?.transaction_id, ...gone].sort(),
  );
  assert.deepEqual(
    view.amount_differs.map(({ provider_transaction_id: id, theirs }) => [id, theirs?.amount]),
    [[credited[1]?.transaction_id, '999']],
  );
});

test('the API called only PayPal, and the books violate no rule', async () => {
  const hosts = new Set(standIn.connects);
  assert.deepEqual([...hosts].sort(), ['api-m.sandbox.paypal.com:443', 'api.sandbox.paypal.com:443']);
  await assertBooks(db);
});
