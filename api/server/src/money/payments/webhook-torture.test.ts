/**
 * Every fault between PayPal and a village at once, on two replicas: duplicates, reordering, forgeries, redirects,
 * answers that fail. In any order of deliveries each payment is credited once, and its net amount equals PayPal's.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatAiDollars, parseAiDollars, type LedgerEntry } from '@hamlet/contract';
import { FULL_RUN, Seeded } from '@hamlet/test/env/seeded';
import { atEnd } from '@hamlet/test/env/at-end';
import { AGENT_IDS, eventually, testVillage, Play } from '../../testing/test-village.ts';
import { assertBooks } from '../testing/purse-play.ts';
import { bodyOf, NOTIFICATIONS, type Notice } from '../testing/notifications.ts';
import { newPaymentId, PayPlay } from '../testing/pay-play.ts';
import { ELSEWHERE, startPayPalStandIn, type SignedDelivery } from '../testing/paypal-stand-in.ts';

const PAYMENTS = FULL_RUN ? 400 : 12;
const DUPLICATES = FULL_RUN ? 25 : 5;
const SENDERS = 8;
const BUSY_MS = 200;
/** Attempts of PayPal to deliver a notification while the village is too busy: three minutes. */
const BUSY_TRIES = 900;
const SEED = Number(process.env['HAMLET_TEST_SEED'] ?? 20_261_122);

const [village, standIn] = await Promise.all([testVillage(), startPayPalStandIn()]);
const replicas = await Promise.all([
  village.startReplica(standIn.environment),
  village.startReplica(standIn.environment),
]);
const urls: readonly string[] = replicas.map(({ peopleUrl }) => peopleUrl);
const play = new Play(urls[0] ?? '');
const pay = new PayPlay(play.url, play.admin, standIn);
const db = village.openDb();
await play.everybody();
atEnd(() => standIn.close());

/** A delivery, and whether PayPal sends it. */
interface Sent {
  readonly delivery: SignedDelivery;
  readonly isForged: boolean;
}

interface Story {
  readonly captureId: string;
  readonly agentId: string;
  readonly value: number;
  readonly notices: readonly Notice[];
  /** The expected net, in cents. */
  readonly net: number;
}

const money = (cents: number): string => (cents / 100).toFixed(2);

/** The events of one payment: PayPal knows the final state from the start, and reports events in any order. */
function makeStory(random: Seeded): Story {
  const { books } = standIn;
  const captureId = newPaymentId('C');
  const agentId = random.one(AGENT_IDS) ?? 'ada';
  const value = 100 + Math.floor(random.between(0, 5_000)) * 2;
  const paid = { value: money(value), customId: agentId };
  const notices: Notice[] = [NOTIFICATIONS.capture('COMPLETED', captureId, paid)];
  if (random.chance(0.5)) notices.push(NOTIFICATIONS.capture('PENDING', captureId, paid));
  let net = value;
  let refunded = false;
  for (let refunds = Math.floor(random.between(0, 3)); refunds > 0; refunds -= 1) {
    const refundId = newPaymentId('R');
    const back = Math.floor(random.between(1, net / 2));
    books.refunds.set(refundId, { value: money(back), status: random.chance(0.8) ? 'COMPLETED' : 'FAILED' });
    notices.push(NOTIFICATIONS.refund(captureId, refundId, money(back)));
    if (books.refunds.get(refundId)?.status !== 'COMPLETED') continue;
    net -= back;
    refunded = true;
  }
  const fate = random.next();
  if (fate < 0.2) {
    const disputeId = `PP-D-${newPaymentId('D')}`;
    const won = random.chance(0.5);
    books.disputes.set(disputeId, {
      value: money(net),
      status: 'RESOLVED',
      outcome: won ? 'RESOLVED_SELLER_FAVOUR' : 'RESOLVED_BUYER_FAVOUR',
    });
    notices.push(
      NOTIFICATIONS.dispute('CREATED', captureId, disputeId),
      NOTIFICATIONS.dispute('RESOLVED', captureId, disputeId),
    );
    // Refunds and lost disputes overlap; the greater one counts.
    if (!won) net = Math.min(net, value - net);
  } else if (fate < 0.3) {
    notices.push(NOTIFICATIONS.reversal(captureId, money(net)));
    net = 0;
  }
  books.pay(captureId, { ...paid, status: refunded ? 'PARTIALLY_REFUNDED' : 'COMPLETED' });
  return { captureId, agentId, value, notices, net };
}

/** The deliveries of one notification: many copies, some signed again, mixed with forgeries. */
function deliveriesOf(notices: Notice, random: Seeded): readonly Sent[] {
  const body = bodyOf(notices, '\u2028 1.0 \\u0000 ñ 漢字');
  const first = standIn.sign(body);
  const same = Array.from({ length: DUPLICATES }, (_, index) => (index % 5 === 4 ? standIn.sign(body) : first));
  const forgeries: SignedDelivery[] = [
    { ...first, body: bodyOf(notices, 'tampered') },
    standIn.sign(
      bodyOf({
        ...notices,
        resource: { id: newPaymentId('F'), amount: { currency_code: 'USD', value: '1000000.00' }, custom_id: 'ada' },
      }),
      { by: 'forged' },
    ),
    standIn.sign(body, { by: 'stranger' }),
    standIn.sign(body, { certUrl: `https://${ELSEWHERE}/v1/notifications/certs/CERT-good` }),
    standIn.sign(body, { certUrl: 'https://api.sandbox.paypal.com/v1/notifications/certs/CERT-redirected' }),
    standIn.sign(body, { time: new Date(Date.now() - 30 * 86_400_000).toISOString() }),
    standIn.sign(body, { webhookId: 'of-another-village' }),
    standIn.sign('{"broken": 1.0'),
  ];
  return [
    ...same.map((delivery) => ({ delivery, isForged: false })),
    ...forgeries.filter(() => random.chance(0.5)).map((delivery) => ({ delivery, isForged: true })),
  ];
}

function shuffled<T>(items: readonly T[], random: Seeded): readonly T[] {
  return items
    .map((item) => [random.next(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}

/** True for the first credit of a payment. The notes of later credits name a refund or a return. */
const isFirstCredit = ({ note, source }: LedgerEntry): boolean => note === `Payment ${source} by PayPal`;

/** Addresses that must never be followed, and answers that must be retried. */
function plantDetours(): void {
  const redirect = {
    times: Infinity,
    answer: (response: { writeHead(status: number, headers: Record<string, string>): { end(): void } }) =>
      response.writeHead(302, { location: `https://${ELSEWHERE}/v1/notifications/certs/CERT-good` }).end(),
  };
  standIn.detours.set('/v1/notifications/certs/CERT-redirected', redirect);
  standIn.detours.set('/v1/oauth2/token', { times: 2, answer: (response) => response.writeHead(503).end() });
  standIn.detours.set('/v1/notifications/certs/CERT-good', {
    times: 2,
    answer: (response) => response.end('<html>come back later</html>'),
  });
}

/**
 * PayPal sends a notification again that the village was too busy to take. A forger does not: forgeries whose
 * certificate may still come wait for days, and the village takes a limited number of them.
 */
async function send({ delivery, isForged }: Sent, url?: string): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const { status } = await pay.send(delivery, url);
    if (status !== 429 || isForged || tries === BUSY_TRIES) return status;
    await sleep(BUSY_MS);
  }
}

test(`${PAYMENTS} payments, each reported up to ${DUPLICATES} times between forgeries (seed ${SEED}): one credit each, calls only to PayPal`, async () => {
  const random = new Seeded(SEED);
  const stories = Array.from({ length: PAYMENTS }, () => makeStory(random));
  plantDetours();
  const queue = [
    ...shuffled(
      stories.flatMap(({ notices }) => notices.flatMap((each) => deliveriesOf(each, random))),
      random,
    ),
  ];
  const answers = { paypal: new Set<number>(), forger: new Set<number>() };
  await Promise.all(
    Array.from({ length: SENDERS }, async () => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop())
        answers[next.isForged ? 'forger' : 'paypal'].add(await send(next, random.one(urls)));
    }),
  );
  assert.deepEqual([...answers.paypal], [200]);
  // The forgeries of a full run are more than may wait for their certificate.
  assert.deepEqual([...answers.forger].sort(), FULL_RUN ? [200, 400, 429] : [200, 400]);

  const expected = new Map(stories.filter(({ net }) => net > 0).map(({ captureId, net }) => [captureId, net * 10_000]));
  await eventually('the net amount of every payment to match PayPal', async () => {
    const rows = await db.selectFrom('deposit').select(['transaction_id', 'net']).execute();
    const standing = new Map(
      rows.filter(({ net }) => Number(net) > 0).map(({ transaction_id: id, net }) => [id, Number(net)]),
    );
    return standing.size === expected.size && [...expected].every(([id, net]) => standing.get(id) === net);
  });
  await eventually('the end of all waiting deliveries and payments', async () => {
    const captures = await db.selectFrom('paypal_capture').select(['told', 'looked']).execute();
    return captures.every(({ told, looked }) => told === looked);
  });

  const entries = (await Promise.all(AGENT_IDS.map((agentId) => pay.entries(agentId)))).flat();
  for (const { captureId, net } of stories) {
    const own = entries.filter(({ source }) => source.split('/')[0] === captureId);
    assert.ok(own.filter(isFirstCredit).length <= 1, `${captureId} was credited more than once`);
    assert.equal(
      own.reduce((sum, { amount }) => sum + parseAiDollars(amount), 0n),
      BigInt(net) * 10_000n,
      captureId,
    );
  }
  for (const agentId of AGENT_IDS) {
    const owed = stories
      .filter((story) => story.agentId === agentId)
      .reduce((sum, { net }) => sum + BigInt(net) * 10_000n, 0n);
    assert.equal(await pay.balance(agentId), formatAiDollars(owed), agentId);
  }
  assert.deepEqual(
    [...new Set(standIn.connects)].filter((target) => !/^api(-m)?\.sandbox\.paypal\.com:443$/.test(target)),
    [],
    'requests to hosts that are not allowed',
  );
  assert.deepEqual(
    standIn.requests.filter((request) => request.includes(ELSEWHERE)),
    [],
  );
  await assertBooks(db);
});
