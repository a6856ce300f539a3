/** The loop with a price list, money and auctions: its quotes, purchases and bids. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentenceFaults } from '@hamlet/test/env/sentence-faults';
import { aBid, aNews, anAuction, anId } from '../testing/a-board.ts';
import { aLoop } from '../testing/a-loop.ts';
import { aConfig, aWorld, LIMITS } from '../testing/a-village.ts';
import { DOWN, ok, scriptedVillage, type ScriptedVillage } from '../testing/scripted-village.ts';

const SMALL = { provider: 'scripted', name: 'small', scripted: true, reason: '' };

/** A village whose clock advances by a minute for each turn. */
function villageOf(available: string): ScriptedVillage {
  const village = scriptedVillage();
  village.market.available = available;
  village.config = async () => ok(aConfig({ limits: LIMITS, tier: 'tier-0', model: SMALL }));
  let tick = 6_000;
  village.world = async () => ok(aWorld({ tick: (tick += 600) }));
  return village;
}

const run = (village: ScriptedVillage, turns: number): Promise<unknown> => aLoop(village).runWithBoard(turns);

test('for a waiting person the agent buys the larger model for an hour, gives the reason, and answers', async () => {
  const village = villageOf('5');
  village.boardKit.news.push(aNews());
  await run(village, 2);
  assert.deepEqual(village.market.bought, [{ item: { kind: 'model', model: 'large' }, max_price: '0.25' }]);
  const [bought, replied] = village.turns;
  assert.match(bought?.decided.why ?? '', /a person waits.*the model large costs 0\.25 aiDollars for an hour/);
  assert.deepEqual(
    [bought?.acted['outcome'], bought?.acted['price'], replied?.acted['outcome']],
    ['bought', '0.25', 'written'],
  );
  assert.ok(bought !== undefined);
  const { entry } = bought.reflected['stay'] as { entry: string };
  assert.match(entry, /I bought the model large for 0\.25 aiDollars because a person waits/);
  assert.deepEqual(sentenceFaults(entry.replace(/^[^:]*:\d\d[^:]*: /, '')), []);
});

test('for a waiting person the agent reads prices at once, and not again after the purchase', async () => {
  const village = villageOf('5');
  let tick = 6_000;
  village.world = async () => ok(aWorld({ tick: (tick += 10) }));
  village.onTurn = () => undefined;
  const post = village.boardKit.news;
  let turns = 0;
  const config = village.config.bind(village);
  village.config = () => {
    turns += 1;
    if (turns === 3) post.push(aNews());
    return config();
  };
  await run(village, 5);
  assert.deepEqual(village.turns.map(({ acted }) => acted['outcome']).slice(2, 4), ['bought', 'written']);
  assert.equal(village.market.bought.length, 1);
});

test('a wish may cost a twentieth of the money; with one micro-aiDollar less the agent answers with its own model', async () => {
  const village = villageOf('4.999999');
  village.boardKit.news.push(aNews());
  await run(village, 1);
  assert.deepEqual([village.market.bought, village.boardKit.replies.length], [[], 1]);
});

test('the agent makes no purchase that would cost it its tier', async () => {
  const village = villageOf('100');
  village.market.keepsTierTo = '99.9';
  village.boardKit.news.push(aNews());
  await run(village, 2);
  assert.deepEqual(village.market.bought, []);
});

test('without tokens the agent buys some for at most a tenth of its money; if it cannot pay, it asks for help', async () => {
  const refused = { kind: 'refused', code: 'token_quota_exhausted', detail: 'none is left' } as const;
  const rich = villageOf('0.2');
  rich.boardKit.news.push(aNews());
  rich.boardKit.script.complete = [refused];
  await run(rich, 4);
  assert.deepEqual(rich.market.bought, [
    { item: { kind: 'quota', limit: 'tokens_per_hour', amount: 10_000 }, max_price: '0.02' },
  ]);
  assert.deepEqual(rich.boardKit.published, []);
  const poor = villageOf('0.199999');
  poor.boardKit.news.push(aNews());
  poor.boardKit.script.complete = [refused, refused];
  await run(poor, 3);
  assert.deepEqual(
    [poor.market.bought.length, poor.boardKit.published.map(({ title }) => title)],
    [0, ['My tokens of this hour are used up']],
  );
});

test('a purchase whose answer was lost is not repeated; a refused one is repeated after a pause', async () => {
  const lost = villageOf('5');
  lost.market.script.buy = [DOWN];
  lost.boardKit.news.push(aNews(), aNews(), aNews());
  await run(lost, 6);
  assert.deepEqual([lost.turns[0]?.acted['outcome'], lost.market.bought.length], ['unknown', 0]);
  const refused = villageOf('5');
  refused.market.script.buy = [{ kind: 'refused', code: 'price_above_max', detail: 'it costs more now' }];
  refused.boardKit.news.push(aNews());
  await run(refused, 3);
  assert.deepEqual(
    refused.turns.map(({ acted }) => acted['outcome']),
    ['refused', 'bought', 'written'],
  );
});

test('the agent bids once, at the list price of the window, in the auction that closes first', async () => {
  const village = villageOf('100');
  village.market.auctions.push(anAuction({ auction_id: anId(52), closes_at: '2026-01-01T00:40:00Z' }), anAuction());
  await run(village, 4);
  assert.deepEqual(village.market.bids, [
    { auctionId: anId(50), amount: '2' },
    { auctionId: anId(52), amount: '2' },
  ]);
  const turn = village.turns.find(({ acted }) => acted['outcome'] === 'bid');
  assert.match(
    turn?.decided.why ?? '',
    /2 h of the GPUs of gpu-0 cost 2 aiDollars on the price list, and a fifth of my money is for bids/,
  );
});

test('money in open bids counts: the agent never bids more than a fifth', async () => {
  const village = villageOf('10');
  village.market.auctions.push(anAuction({ auction_id: anId(51), own_bid: aBid({ amount: '2.5' }) }), anAuction());
  await run(village, 2);
  assert.deepEqual(village.market.bids, []);
});

test('the agent does not bid if paying would cost it its tier', async () => {
  const village = villageOf('100');
  village.market.keepsTierTo = '98.000001';
  village.market.auctions.push(anAuction());
  await run(village, 2);
  assert.deepEqual(village.market.bids, []);
});

test('the agent reads prices once a minute, and not in a turn that a wake caused', async () => {
  const village = villageOf('1');
  let tick = 6_000;
  village.world = async () => ok(aWorld({ tick: (tick += 200) }));
  await run(village, 6);
  assert.equal(village.market.asked.length, 2);
});

test('if the market is unreachable, the turn only lacks the trade', async () => {
  const village = villageOf('5');
  village.market.script.quote = [DOWN];
  village.market.script.auctions = [DOWN, DOWN];
  village.boardKit.news.push(aNews());
  await run(village, 1);
  assert.equal(village.boardKit.replies.length, 1);
});
