/** Prices, purchases and the limits that they raise, over HTTP on a real Postgres and Redis. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { formatAiDollars, parseAiDollars } from '@hamlet/contract';
import type { PurchaseItem, PurchaseView, QuoteAnswer } from '@hamlet/contract';
import { readAudit } from '@hamlet/store';
import { refusalOf, follow, refuses } from '@hamlet/test/env/client';
import { clientOf, eventually, TOKENS, type AgentId, startPlay } from '../../testing/test-village.ts';
import { assertBooks } from '../testing/purse-play.ts';

const TOKENS_ITEM: PurchaseItem = { kind: 'quota', limit: 'tokens_per_hour', amount: 500_000 };

const { village, play } = await startPlay();
const { admin } = play;
const owner = village.openDb();

async function give(agentId: string, amount: string): Promise<void> {
  await admin.rewardAgent({ agent_id: agentId, amount, reason: 'for tests' });
}

const buy = (agentId: AgentId, item: PurchaseItem, seconds = 3_600) => play.as(agentId).buyCompute({ item, seconds });

async function ofAgent(agentId: AgentId, query: object = {}): Promise<NonNullable<QuoteAnswer['agent']>> {
  const { agent } = await play.as(agentId).getQuote(query);
  assert.ok(agent !== null);
  return agent;
}

async function endNow(purchaseId: string): Promise<void> {
  const purchases = owner.withTables<{ purchase: { purchase_id: string; during: string } }>();
  await purchases
    .updateTable('purchase')
    .set({
      during: (build) => build.fn<string>('tstzrange', [build.fn('lower', ['during']), build.fn('clock_timestamp')]),
    })
    .where('purchase_id', '=', purchaseId)
    .execute();
}

test('a quote has the price, the balance after it, and the next tier that more aiDollars unlock', async () => {
  await give('bob', '4');
  const quote = await play
    .as('bob')
    .getQuote({ kind: 'quota', limit: 'tokens_per_hour', amount: 1_000_000, seconds: 5_400 });
  assert.deepEqual(quote.price_list.tokens_per_hour, { unit: 500_000, per_hour: '0.1' });
  assert.deepEqual([quote.item?.price, quote.item?.seconds, quote.item?.free], ['0.3', 5_400, true]);
  assert.equal(Date.parse(quote.item?.ends_at ?? '') - Date.parse(quote.item?.starts_at ?? ''), 5_400_000);
  const { after: left, next, ...now } = quote.agent ?? assert.fail('no agent');
  assert.deepEqual(
    [now.agent_id, now.balance, now.held, now.available, now.tier, now.policy, now.purchases],
    ['bob', '4', '0', '4', 'tier-0', 'ByBalance', []],
  );
  assert.deepEqual(
    [left?.affordable, left?.missing, left?.balance, left?.available, left?.tier],
    [true, '0', '3.7', '3.7', 'tier-0'],
  );
  assert.equal(left?.limits?.tokens_per_hour, (now.limits?.tokens_per_hour ?? 0) + 1_000_000);
  assert.deepEqual([next?.tier, next?.min_balance, next?.missing], ['tier-1', '10', '6']);
  assert.deepEqual(
    next?.changes.find(({ what }) => what === 'requests_per_minute'),
    { what: 'requests_per_minute', from: '120', to: '300' },
  );
  const dear = await admin.getQuote({ agent_id: 'bob', kind: 'gpu', lane: 'gpu-0', seconds: 18_000 });
  assert.deepEqual(
    [dear.agent?.after?.affordable, dear.agent?.after?.missing, dear.item?.item],
    [false, '1', { kind: 'gpu', lane: 'gpu-0', resource_name: 'nvidia.com/gpu', count: 1 }],
  );
  assert.equal((await admin.getBalance({ agent_id: 'bob' })).held, '0', 'a quote holds no money');
});

test('a quote warns if the purchase costs the agent its tier; a pinned tier never changes', async () => {
  await give('cleo', '10');
  await eventually('the tier', async () => (await ofAgent('cleo')).tier === 'tier-1');
  assert.equal(
    (await ofAgent('cleo', { kind: 'gpu', lane: 'gpu-0', seconds: 3_600 })).after?.tier,
    'tier-1',
    'an agent keeps its tier down to nine tenths of the threshold',
  );
  assert.equal((await ofAgent('cleo', { kind: 'gpu', lane: 'gpu-0', seconds: 3_601 })).after?.tier, 'tier-0');
  const pinned = await ofAgent('ada', { kind: 'priority' });
  assert.deepEqual(
    [pinned.policy, pinned.next, pinned.after?.tier, pinned.after?.affordable],
    ['Pinned', null, 'tier-1', false],
  );
});

test('a quote without an agent has only prices; a refusal names the invalid field', async () => {
  const member = clientOf(play.url, TOKENS.member);
  const { agent, item } = await member.getQuote({ kind: 'priority' });
  assert.deepEqual([agent, item?.price], [null, '0.1']);
  await refuses(member.getQuote({ kind: 'model', model: 'nonsense' }), 'not_for_sale');
  await refuses(member.getQuote({ agent_id: 'nobody' }), 'no_such_agent');
  await refuses(
    member.getQuote({ kind: 'gpu', lane: 'gpu-0', starts_at: '2020-01-01T00:00:00Z' }),
    'window_out_of_range',
  );
  await refuses(play.as('bob').getQuote({ agent_id: 'cleo' }), 'not_own_agent');
  const wrong = await member.raw.getQuote({ kind: 'quota', limit: 'tokens_per_hour' });
  assert.equal(refusalOf(wrong), 'validation_failed');
  assert.match(JSON.stringify(wrong.ok ? '' : wrong.problem.errors), /amount/);
});

test("a purchase creates a ledger entry purchase_compute and raises only the purchased limit, also in the agent's configuration", async () => {
  const before = await ofAgent('bob');
  const bought = await buy('bob', TOKENS_ITEM);
  assert.deepEqual(
    [bought.agent_id, bought.item, bought.price, bought.state, bought.auction_id],
    ['bob', TOKENS_ITEM, '0.1', 'active', null],
  );
  assert.equal(Date.parse(bought.ends_at) - Date.parse(bought.starts_at), 3_600_000);
  const [entry] = (await play.as('bob').getLedger({ agent_id: 'bob' })).entries;
  assert.deepEqual(
    [entry?.ledger_entry_id, entry?.reason, entry?.amount, entry?.note],
    [bought.ledger_entry_id, 'purchase_compute', '-0.1', '500000 more tokens_per_hour for 3600 s'],
  );
  const raised = { ...before.limits, tokens_per_hour: (before.limits?.tokens_per_hour ?? 0) + 500_000 };
  assert.deepEqual((await ofAgent('bob')).limits, raised);
  assert.deepEqual((await admin.getAgent({ agent_id: 'bob' })).entitlement.limits, raised);
  assert.deepEqual((await play.as('bob').getAgentConfig({ agent_id: 'bob' })).limits, raised);
  const funds = await admin.getBalance({ agent_id: 'bob' });
  assert.deepEqual([funds.held, funds.balance], ['0', formatAiDollars(parseAiDollars(before.balance) - 100_000n)]);
  const [line] = await readAudit(owner, 'bob', 1);
  assert.deepEqual([line?.action, line?.actorRole], ['purchase.buy', 'agent']);
});

test('a purchase ends by the clock of the database, and the audit records the end', async () => {
  const bought = await buy('bob', { kind: 'quota', limit: 'requests_per_minute', amount: 600 });
  const requests = async (): Promise<number | null | undefined> =>
    (await admin.getAgent({ agent_id: 'bob' })).entitlement.limits?.requests_per_minute;
  assert.equal(await requests(), 720);
  await endNow(bought.purchase_id);
  assert.equal(await requests(), 120, 'no job had to run');
  const stateOf = async (state: 'active' | 'ended'): Promise<boolean> =>
    (await play.as('bob').listPurchases({ state, limit: 100 })).purchases.some(
      ({ purchase_id }) => purchase_id === bought.purchase_id,
    );
  assert.deepEqual([await stateOf('active'), await stateOf('ended')], [false, true]);
  await eventually('the audit of its end', async () =>
    (await readAudit(owner, 'bob', 5)).some(({ action }) => action === 'purchase.end'),
  );
});

test("a bought model comes before the tier's models, a second purchase prolongs it, and the tier's own models are not sold", async () => {
  const first = await buy('bob', { kind: 'model', model: 'large' }, 600);
  const second = await buy('bob', { kind: 'model', model: 'large' }, 600);
  assert.deepEqual([second.starts_at, second.state], [first.ends_at, 'ahead']);
  assert.deepEqual((await ofAgent('bob')).limits?.models, ['large', 'small']);
  await refuses(
    play.as('bob').buyCompute({ item: { kind: 'model', model: 'small' }, seconds: 60 }),
    'already_included',
  );
  await refuses(play.as('bob').buyCompute({ item: { kind: 'model', model: 'gpt' }, seconds: 60 }), 'not_for_sale');
});

test('a purchase without money, above max_price or for another agent is refused and changes nothing', async () => {
  const dan = play.as('dan');
  await give('dan', '0.05');
  const poor = dan.buyCompute({ item: { kind: 'priority' }, seconds: 3_600 });
  await refuses(poor, 'insufficient_funds', /0\.05.*0\.1/);
  await refuses(
    dan.buyCompute({ item: { kind: 'priority' }, seconds: 1_800, max_price: '0.049999' }),
    'price_above_max',
  );
  await refuses(dan.buyCompute({ agent_id: 'bob', item: { kind: 'priority' }, seconds: 60 }), 'not_own_agent');
  await refuses(dan.listPurchases({ agent_id: 'bob' }), 'not_own_agent');
  await refuses(dan.buyCompute({ item: { kind: 'gpu', lane: 'gpu-9' }, seconds: 60 }), 'not_for_sale');
  await refuses(admin.buyCompute({ agent_id: 'nobody', item: { kind: 'priority' }, seconds: 60 }), 'no_such_agent');
  await refuses(admin.buyCompute({ item: { kind: 'priority' }, seconds: 60 }), 'no_such_agent');
  await refuses(
    clientOf(play.url, TOKENS.member).buyCompute({ agent_id: 'dan', item: { kind: 'priority' }, seconds: 60 }),
    'forbidden',
  );
  const { balance, held } = await admin.getBalance({ agent_id: 'dan' });
  assert.deepEqual([balance, held], ['0.05', '0']);
  assert.deepEqual((await dan.listPurchases()).purchases, []);
});

test('a frozen agent cannot buy, and an admin cannot buy for it', async () => {
  await admin.freezeAgent({ agent_id: 'dan', reason: 'test' });
  await refuses(play.as('dan').buyCompute({ item: { kind: 'priority' }, seconds: 60 }), 'agent_frozen');
  await refuses(admin.buyCompute({ agent_id: 'dan', item: { kind: 'priority' }, seconds: 60 }), 'agent_barred');
  await admin.liftFreeze({ agent_id: 'dan' });
  const bought = await admin.buyCompute({ agent_id: 'dan', item: { kind: 'priority' }, seconds: 60 });
  assert.deepEqual(bought.bought_by, { role: 'admin', id: 'key admin' });
});

test('a retry gets the first answer, even after the stored answers are deleted', async () => {
  const [idempotencyKey, body] = [randomUUID(), { item: TOKENS_ITEM, seconds: 60 }];
  const first = await play.as('bob').buyCompute(body, { idempotencyKey });
  assert.deepEqual(await play.as('bob').buyCompute(body, { idempotencyKey }), first);
  await owner.deleteFrom('idempotency_key').execute();
  assert.deepEqual(await play.as('bob').buyCompute(body, { idempotencyKey }), first);
  await owner.deleteFrom('idempotency_key').execute();
  await refuses(play.as('bob').buyCompute({ ...body, seconds: 61 }, { idempotencyKey }), 'idempotency_key_reused');
});

test('one of many concurrent buyers gets a GPU window, and the others keep their money', async () => {
  for (const agentId of ['cleo', 'eve', 'fay'] as const) await give(agentId, '20');
  const startsAt = new Date(Date.now() + 3_600_000);
  const windows = Array.from({ length: 12 }, (_, index) =>
    new Date(startsAt.getTime() + index * 100_000).toISOString(),
  );
  const outcomes = await Promise.all(
    windows.map((starts_at, index) =>
      play
        .as((['cleo', 'eve', 'fay'] as const)[index % 3] ?? 'eve')
        .raw.buyCompute({ item: { kind: 'gpu', lane: 'gpu-0', starts_at }, seconds: 1_200 }),
    ),
  );
  const sold = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.data] : []));
  for (const outcome of outcomes) if (!outcome.ok) assert.equal(outcome.problem.code, 'window_taken');
  assert.ok(sold.length >= 1);
  const times = sold
    .map(({ starts_at, ends_at }) => [Date.parse(starts_at), Date.parse(ends_at)] as const)
    .toSorted(([a], [b]) => a - b);
  for (const [index, [from]] of times.entries())
    if (index > 0) assert.ok(from >= (times[index - 1]?.[1] ?? Infinity), 'one after the other');
  for (const { item } of sold)
    assert.deepEqual(item, { kind: 'gpu', lane: 'gpu-0', resource_name: 'nvidia.com/gpu', count: 1 });
  const held = await Promise.all(
    (['cleo', 'eve', 'fay'] as const).map(async (agent_id) => (await admin.getBalance({ agent_id })).held),
  );
  assert.deepEqual(held, ['0', '0', '0']);
});

test('the API notifies the operator when purchases that affect pods and seats begin and end', async () => {
  const operator = clientOf(play.url, TOKENS.operator);
  const { events, stop } = follow((signal) => operator.openInternalStream({}, { signal }));
  const said = () =>
    events.flatMap((event) => (event.event === 'boost' && event.data.agent_id === 'fay' ? [event.data] : []));
  const received = (): readonly unknown[] => said().map(({ priority, gpu }) => [priority, gpu?.resource_name ?? null]);
  await eventually('synced', () => events.some(({ event }) => event === 'synced'));
  const bought = await buy('fay', { kind: 'priority' });
  const window = await buy('fay', { kind: 'gpu', lane: 'gpu-0' }, 600);
  await eventually('the window', () => received().length >= 2);
  assert.equal(said().at(-1)?.until, window.ends_at, 'the earliest end of the purchases');
  await endNow(bought.purchase_id);
  await eventually('the end of the priority', () => received().length >= 3);
  assert.deepEqual(received(), [
    [true, null],
    [true, 'nvidia.com/gpu'],
    [false, 'nvidia.com/gpu'],
  ]);
  stop();
});

test('purchases are listed in pages, newest first, for one agent or all', async () => {
  const all: string[] = [];
  for (let cursor: string | null = null; ;) {
    const page: { purchases: PurchaseView[]; next_cursor: string | null } = await admin.listPurchases({
      limit: 3,
      ...(cursor === null ? {} : { cursor }),
    });
    all.push(...page.purchases.map(({ purchase_id }) => purchase_id));
    cursor = page.next_cursor;
    if (cursor === null) break;
  }
  assert.deepEqual(all, all.toSorted().toReversed());
  const own = await admin.listPurchases({ agent_id: 'bob', limit: 2 });
  assert.ok(own.purchases.every(({ agent_id }) => agent_id === 'bob'));
  await refuses(admin.listPurchases({ agent_id: 'cleo', cursor: own.next_cursor ?? '' }), 'cursor_invalid');
});

test('purchases and the books agree', async () => {
  await assertBooks(owner);
});
