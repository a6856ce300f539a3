/** The database itself refuses double sales of windows and changes of purchases. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { pluck } from '@hamlet/test/env/pluck';
import { holdMoney, resolveHold } from '../ledger/post-transfer.ts';
import { sqlStateOf, testLedger } from '../ledger/testing/test-ledger.ts';
import { activePurchases } from './active-purchases.ts';
import { readBoosts, takePurchaseNews } from './boosts.ts';
import { endOffer, insertPurchase, isWindowFree, readPurchases, type StoredItem, takeWindow } from './purchases.ts';
import { checkTrade } from '../ledger/upkeep.ts';

const APPEND_ONLY = '42501';
const DEVICES = { lane: 'gpu-0', resourceName: 'nvidia.com/gpu', count: 1 };
const BY = { role: 'agent', id: 'agent ada' };

const ledger = await testLedger(8);
let keys = 0;
const ada = await ledger.account('ada', 1_000_000_000n);

function at(minutes: number): Date {
  return new Date(Date.now() + minutes * 60_000);
}

/** A paid purchase; its times are in minutes from now. */
async function buy(
  item: StoredItem | { readonly kind: 'gpu' },
  [from, until]: readonly [number, number],
): Promise<string> {
  return ledger.within(async (tx) => {
    const key = `test ${(keys += 1)}`;
    const [startsAt, endsAt] = [at(from), at(until)];
    const request = {
      ...ledger.request([ada, ledger.compute], 5n, key),
      reason: 'purchase_compute' as const,
      expiresAt: at(1),
    };
    const held = await holdMoney(tx, request);
    assert.ok(held.ok);
    const windowId =
      item.kind === 'gpu' ? await takeWindow(tx, { devices: DEVICES, startsAt, endsAt, agentId: 'ada' }) : null;
    const stored: StoredItem =
      'limit' in item || 'model' in item || item.kind === 'priority'
        ? item
        : { kind: 'gpu', windowId: windowId ?? assert.fail('the window is taken') };
    const posted = await resolveHold(tx, { holdId: held.holdId, outcome: 'posted', key, actor: BY });
    assert.ok(posted.ok && posted.transferId !== null);
    return insertPurchase(tx, {
      agentId: 'ada',
      item: stored,
      startsAt,
      endsAt,
      price: 5n,
      holdId: held.holdId,
      transferId: posted.transferId,
      auctionId: null,
      by: BY,
    });
  });
}

test('no other agent can take any part of a window until it is withdrawn', async () => {
  const take = (from: number, until: number, agentId: string | null): Promise<string | null> =>
    ledger.within((tx) => takeWindow(tx, { devices: DEVICES, startsAt: at(from), endsAt: at(until), agentId }));
  const offered = await take(100, 200, null);
  assert.ok(offered !== null);
  for (const [from, until] of [
    [100, 200],
    [150, 160],
    [50, 101],
    [199, 300],
    [0, 1_000],
  ] as const)
    assert.equal(await take(from, until, 'bob'), null, `${from} to ${until}`);
  assert.equal(await isWindowFree(ledger.db, 'gpu-0', { startsAt: at(150), endsAt: at(151) }), false);
  await ledger.within((tx) => endOffer(tx, offered, null));
  assert.equal(await isWindowFree(ledger.db, 'gpu-0', { startsAt: at(150), endsAt: at(151) }), true);
  const direct = `insert into gpu_window (lane, resource_name, count, during, state, agent_id) values ('gpu-0', 'x/y', 1, tstzrange(now() + interval '1 day', now() + interval '2 days'), 'sold', 'bob')`;
  assert.equal(await sqlStateOf(ledger.owner, direct), null);
  assert.equal(await sqlStateOf(ledger.owner, direct), '23P01', 'even the owner cannot sell it twice');
  await sql`alter table gpu_window disable trigger user`.execute(ledger.owner);
  await sql`delete from gpu_window where resource_name = 'x/y'`.execute(ledger.owner);
  await sql`alter table gpu_window enable trigger user`.execute(ledger.owner);
});

test('exactly one of many concurrent buyers gets a window', async () => {
  const offer = { devices: DEVICES, startsAt: at(10_000), endsAt: at(20_000), agentId: null };
  const taken = await Promise.all(Array.from({ length: 8 }, () => ledger.within((tx) => takeWindow(tx, offer))));
  const [windowId] = taken.filter((id) => id !== null);
  assert.equal(taken.filter((id) => id !== null).length, 1);
  await ledger.within((tx) => endOffer(tx, windowId ?? '', null));
});

test('purchases and sold windows cannot be changed or deleted', async () => {
  const purchaseId = await buy({ kind: 'gpu' }, [-10, 10]);
  for (const statement of [
    `update purchase set during = tstzrange(now(), now() + interval '1 year') where purchase_id = '${purchaseId}'`,
    `update purchase set price = 1`,
    `update gpu_window set during = tstzrange(now(), now() + interval '1 year')`,
    `update gpu_window set state = 'withdrawn', agent_id = null where state = 'sold'`,
    `delete from purchase`,
    `truncate purchase, gpu_window cascade`,
  ])
    assert.equal(await sqlStateOf(ledger.db, statement), APPEND_ONLY, statement);
  for (const statement of [
    `update gpu_window set agent_id = 'bob' where state = 'sold'`,
    `delete from bid`,
    `delete from purchase`,
  ])
    assert.equal(await sqlStateOf(ledger.owner, statement), APPEND_ONLY, statement);
});

test("active purchases are decided by the database's clock", async () => {
  await buy({ kind: 'quota', limit: 'tokens_per_hour', amount: 7 }, [-60, 60]);
  await buy({ kind: 'quota', limit: 'tokens_per_hour', amount: 100 }, [-60, -0.0001]);
  await buy({ kind: 'model', model: 'large' }, [30, 60]);
  const { readAtMs, of } = await activePurchases(ledger.db, ['ada', 'nobody']);
  assert.ok(Math.abs(readAtMs - Date.now()) < 60_000);
  assert.deepEqual(of('nobody'), []);
  const bought = of('ada');
  assert.deepEqual(bought.map(({ kind }) => kind).toSorted(), ['gpu', 'quota']);
  assert.ok(bought.every(({ fromMs, untilMs }) => fromMs <= readAtMs && readAtMs < untilMs));
  const { purchases } = await readPurchases(
    ledger.db,
    { agentId: 'ada', state: undefined },
    { before: null, limit: 10 },
  );
  assert.deepEqual(pluck(purchases, 'kind', 'state'), [
    ['model', 'ahead'],
    ['quota', 'ended'],
    ['quota', 'active'],
    ['gpu', 'active'],
  ]);
});

test('the operator is notified of active purchases, and once of each start and end', async () => {
  await buy({ kind: 'priority' }, [-5, 20]);
  const [boost] = await readBoosts(ledger.db, ['ada', 'bob']);
  const { until, ...rest } = boost ?? assert.fail('no boost');
  assert.deepEqual(rest, { agent_id: 'ada', priority: true, gpu: { resource_name: 'nvidia.com/gpu', count: 1 } });
  assert.ok(Math.abs(Date.parse(until ?? '') - at(10).getTime()) < 60_000, 'the first of it ends with the window');
  const first = await ledger.within((tx) => takePurchaseNews(tx, 100));
  assert.deepEqual(
    pluck(first, 'kind', 'told'),
    [['quota', 'ended']],
    'a purchase that begins at once is announced with it',
  );
  const told = async (): Promise<readonly unknown[]> =>
    (await ledger.within((tx) => takePurchaseNews(tx, 100))).map((news) => [news.kind, news.told]);
  assert.deepEqual(await told(), []);
  const ahead = await buy({ kind: 'priority' }, [1, 2]);
  const move = (minutes: number) =>
    sql`update purchase set during = tstzrange(lower(during) + ${minutes} * interval '1 minute', upper(during) + ${minutes} * interval '1 minute') where purchase_id = ${ahead}`.execute(
      ledger.owner,
    );
  assert.deepEqual(await told(), []);
  await move(-1);
  assert.deepEqual([await told(), await told()], [[['priority', 'begun']], []]);
  await move(-1);
  assert.deepEqual([await told(), await told()], [[['priority', 'ended']], []]);
});

test('the check finds differences between purchases and the ledger', async () => {
  const broken = async (): Promise<readonly string[]> =>
    (await checkTrade(ledger.owner)).flatMap(({ rule, broken: count }) => (count === 0 ? [] : [rule]));
  assert.deepEqual(await broken(), []);
  await sql`update purchase set price = price + 1 where kind = 'priority'`.execute(ledger.owner);
  assert.deepEqual(await broken(), ['purchase_is_paid_from_its_hold']);
  await sql`update purchase set price = price - 1 where kind = 'priority'`.execute(ledger.owner);
  assert.deepEqual(await broken(), []);
});
