/** Auctions of GPU windows over HTTP, on a real Postgres and Redis: bids, the end of an auction, and payments only to the village. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { placeBid, roleMay, ROUTES, type AuctionView } from '@hamlet/contract';
import { readAudit } from '@hamlet/store';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { AGENT_IDS, clientOf, eventually, TOKENS, type AgentId, startPlay } from '../../testing/test-village.ts';
import { assertBooks } from '../testing/purse-play.ts';

const HOUR_MS = 3_600_000;

/** Each auction of these tests has its own day. */
let nextDayMs = Date.now() + HOUR_MS;

const { village, play } = await startPlay();
const { admin } = play;
const db = village.openDb();
for (const agent_id of AGENT_IDS) await admin.rewardAgent({ agent_id, amount: 50, reason: 'for bids' });

async function offer(reserve = '2'): Promise<AuctionView> {
  const startsMs = nextDayMs;
  nextDayMs += 2 * HOUR_MS;
  const body = {
    lane: 'gpu-0',
    starts_at: new Date(startsMs).toISOString(),
    ends_at: new Date(startsMs + HOUR_MS).toISOString(),
    closes_at: new Date(startsMs - 60_000).toISOString(),
    reserve,
    note: 'one hour',
  };
  return await admin.openAuction(body);
}

function bid(
  agentId: AgentId,
  { auction_id }: AuctionView,
  amount: string,
): ReturnType<typeof admin.call<typeof placeBid>> {
  return play.as(agentId).raw.placeBid({ auction_id, amount });
}

/** Moves the end of the bidding into the past, and waits until the auction has ended. */
async function ended({
  auction_id,
}: AuctionView): Promise<AuctionView & { bids: readonly { agent_id: string; amount: string; outcome: string }[] }> {
  const auctions = db.withTables<{ auction: { auction_id: string; closes_at: Date } }>();
  await auctions
    .updateTable('auction')
    .set({ closes_at: (build) => build.fn<Date>('clock_timestamp') })
    .where('auction_id', '=', auction_id)
    .execute();
  return eventually('the end of the auction', async () => {
    const auction = await admin.getAuction({ auction_id });
    return auction.state === 'open' ? null : auction;
  });
}

async function fundsOf(agent_id: string): Promise<readonly [balance: string, held: string]> {
  const { balance, held } = await admin.getBalance({ agent_id });
  return [balance, held];
}

test('the highest bid wins the window at the price of the second highest; the other bidders get their money back', async () => {
  const auction = await offer();
  assert.deepEqual([auction.state, auction.bidders, auction.winner, auction.gpu.lane], ['open', 0, null, 'gpu-0']);
  dataOf(await bid('bob', auction, '10'));
  dataOf(await bid('cleo', auction, '7.5'));
  dataOf(await bid('dan', auction, '2'));
  assert.deepEqual(await fundsOf('bob'), ['50', '10']);
  const seen = await play.as('cleo').getAuction({ auction_id: auction.auction_id });
  assert.deepEqual([seen.bidders, seen.own_bid?.amount, seen.bids], [3, '7.5', []], 'sealed: an agent sees its own');
  const { bids, ...settled } = await ended(auction);
  assert.deepEqual([settled.state, settled.winner, settled.price], ['sold', 'bob', '7.5']);
  assert.deepEqual(pluck(bids, 'agent_id', 'amount', 'outcome'), [
    ['bob', '10', 'won'],
    ['cleo', '7.5', 'lost'],
    ['dan', '2', 'lost'],
  ]);
  assert.deepEqual(
    [await fundsOf('bob'), await fundsOf('cleo'), await fundsOf('dan')],
    [
      ['42.5', '0'],
      ['50', '0'],
      ['50', '0'],
    ],
  );
  const [entry] = (await admin.getLedger({ agent_id: 'bob' })).entries;
  assert.deepEqual(
    [entry?.reason, entry?.amount, entry?.source],
    ['purchase_compute', '-7.5', `auction ${auction.auction_id}`],
  );
  const [purchase] = (await play.as('bob').listPurchases()).purchases;
  assert.deepEqual(
    [purchase?.purchase_id, purchase?.auction_id, purchase?.starts_at, purchase?.ends_at, purchase?.state],
    [settled.purchase_id, auction.auction_id, auction.starts_at, auction.ends_at, 'ahead'],
  );
  assert.equal(
    (await admin.getStanding({ agent_id: 'bob' })).balance_tier,
    'tier-1',
    'the tier follows in the same transaction',
  );
  assert.deepEqual((await readAudit(db, auction.auction_id, 5)).map(({ action }) => action).toSorted(), [
    'auction.open',
    'auction.settle',
  ]);
});

test("an agent can only raise its bid; a bid below the reserve or above the agent's money is refused", async () => {
  const auction = await offer('5');
  await refuses(bid('cleo', auction, '4.999999'), 'bid_too_low');
  dataOf(await bid('cleo', auction, '6'));
  for (const amount of ['6', '5']) await refuses(bid('cleo', auction, amount), 'bid_too_low');
  await refuses(bid('cleo', auction, '50.5'), 'insufficient_funds');
  assert.deepEqual(await fundsOf('cleo'), ['50', '6'], 'the earlier bid stands');
  dataOf(await bid('cleo', auction, '50'));
  assert.deepEqual(await fundsOf('cleo'), ['50', '50'], 'the money of the earlier bid counts for the new one');
  assert.equal((await admin.getAuction({ auction_id: auction.auction_id })).bidders, 1);
  await refuses(
    play.as('cleo').buyCompute({ item: { kind: 'priority' }, seconds: 60 }),
    'insufficient_funds',
    'the agent cannot spend the money of a bid',
  );
  const cancelled = await admin.cancelAuction({ auction_id: auction.auction_id, reason: 'the GPU is needed' });
  assert.deepEqual([cancelled.state, cancelled.end_reason], ['cancelled', 'the GPU is needed']);
  assert.deepEqual(await fundsOf('cleo'), ['50', '0']);
  await refuses(admin.cancelAuction({ auction_id: auction.auction_id, reason: 'again' }), 'auction_closed');
  await refuses(bid('cleo', auction, '50'), 'auction_closed');
  await refuses(play.as('cleo').placeBid({ auction_id: randomUUID(), amount: 5 }), 'no_such_auction');
});

test('one of many concurrent bids of an agent stands, and its money is held once', async () => {
  const auction = await offer();
  const outcomes = await Promise.all(Array.from({ length: 12 }, (_, index) => bid('dan', auction, String(3 + index))));
  for (const outcome of outcomes) if (!outcome.ok) assert.equal(outcome.problem.code, 'bid_too_low');
  assert.deepEqual(await fundsOf('dan'), ['50', '14']);
  await admin.cancelAuction({ auction_id: auction.auction_id, reason: 'enough' });
  assert.deepEqual(await fundsOf('dan'), ['50', '0']);
});

test('a retried bid counts once, even after the stored answers are deleted', async () => {
  const auction = await offer();
  const call = { params: { auction_id: auction.auction_id }, body: { amount: '4' }, idempotencyKey: randomUUID() };
  const first = dataOf(await play.as('eve').call(placeBid, call));
  await db.deleteFrom('idempotency_key').execute();
  assert.deepEqual(dataOf(await play.as('eve').call(placeBid, call)), first);
  await db.deleteFrom('idempotency_key').execute();
  await refuses(play.as('eve').call(placeBid, { ...call, body: { amount: '5' } }), 'idempotency_key_reused');
  await admin.cancelAuction({ auction_id: auction.auction_id, reason: 'enough' });
});

test('an auction without bids frees its window; a window on offer cannot be sold in any other way', async () => {
  const auction = await offer();
  const item = { kind: 'gpu', lane: 'gpu-0', starts_at: auction.starts_at } as const;
  await refuses(play.as('fay').buyCompute({ item, seconds: 60 }), 'window_taken');
  const { lane } = auction.gpu;
  const again = {
    lane,
    starts_at: auction.starts_at,
    ends_at: auction.ends_at,
    closes_at: auction.closes_at,
    reserve: '1',
  };
  await refuses(admin.openAuction(again), 'window_taken');
  assert.equal((await ended(auction)).state, 'unsold');
  assert.equal((await play.as('fay').buyCompute({ item, seconds: 60 })).state, 'ahead');
});

test('the end of an auction skips the bid of a barred agent', async () => {
  const auction = await offer();
  dataOf(await bid('eve', auction, '20'));
  dataOf(await bid('fay', auction, '3'));
  await admin.killAgent({ agent_id: 'eve', reason: 'test' });
  const { bids, ...settled } = await ended(auction);
  assert.deepEqual([settled.winner, settled.price, bids[0]?.outcome], ['fay', '2', 'passed_over']);
  await admin.liftKill({ agent_id: 'eve' });
  assert.deepEqual(await fundsOf('eve'), ['50', '0']);
});

test('the API checks the times and the lane of an auction', async () => {
  const [startsMs, body] = [nextDayMs, { lane: 'gpu-0', reserve: 1 }];
  const times = (starts: number, ends: number, closes: number): object => ({
    starts_at: new Date(starts).toISOString(),
    ends_at: new Date(ends).toISOString(),
    closes_at: new Date(closes).toISOString(),
  });
  for (const wrong of [
    times(startsMs, startsMs - 1, Date.now() + 60_000),
    times(startsMs, startsMs + 1_000, startsMs - 4_000),
    times(Date.now() - 60_000, startsMs, Date.now() + 1_000),
  ])
    await refuses(admin.openAuction({ ...body, ...(wrong as ReturnType<typeof timesOf>) }), 'window_out_of_range');
  await refuses(admin.openAuction({ ...body, lane: 'gpu-9', ...timesOf(startsMs) }), 'not_for_sale');
});

function timesOf(startsMs: number): {
  readonly starts_at: string;
  readonly ends_at: string;
  readonly closes_at: string;
} {
  return {
    starts_at: new Date(startsMs).toISOString(),
    ends_at: new Date(startsMs + 1_000).toISOString(),
    closes_at: new Date(startsMs - 6_000).toISOString(),
  };
}

test('the list of auctions is newest first and can be filtered by state', async () => {
  const member = clientOf(play.url, TOKENS.member);
  const first = await member.listAuctions({ limit: 2 });
  assert.equal(first.auctions.length, 2);
  const second = await member.listAuctions({ limit: 2, cursor: first.next_cursor ?? '' });
  const ids = [...first.auctions, ...second.auctions].map(({ auction_id }) => auction_id);
  assert.deepEqual(ids, ids.toSorted().toReversed());
  assert.ok((await member.listAuctions({ state: 'sold' })).auctions.every(({ state }) => state === 'sold'));
  await refuses(member.listAuctions({ state: 'sold', cursor: first.next_cursor ?? '' }), 'cursor_invalid');
});

test('no route lets an agent choose the receiver of its money', async () => {
  const spending = ROUTES.filter(
    ({ tag, method, permission }) =>
      tag === 'economy' && method !== 'GET' && permission !== 'anyone' && roleMay('agent', permission),
  ).map(({ name }) => name);
  assert.deepEqual(spending.toSorted(), ['buyCompute', 'placeBid'], 'add a new route that spends money to this test');
  const gift = play.as('bob').buyCompute({ agent_id: 'cleo', item: { kind: 'priority' }, seconds: 60 });
  await refuses(gift, 'not_own_agent');
});

test('auctions and the books agree', async () => {
  await assertBooks(db);
});
