import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BID_LEAD_MS, bidOf, buys, type AuctionSeen, type Purse, type QuotedPrice } from './trade.ts';

const HOUR = 3_600_000;
const MICRO = 1_000_000n;
const PRICE: QuotedPrice = { price: 10n, available: 100n, tier: 'tier-1', tierAfter: 'tier-1' };

test('the agent spends up to exactly its share of the available money, and keeps its tier', () => {
  const table: readonly [Partial<QuotedPrice>, bigint, boolean][] = [
    [{}, 10n, true],
    [{ available: 99n }, 10n, false],
    [{ price: 11n }, 10n, false],
    [{}, 11n, false],
    [{ price: 0n }, 10n, false],
    [{ price: 1n }, 100n, true],
    [{ available: 0n }, 10n, false],
    [{ available: -100n }, 10n, false],
    [{ tierAfter: 'tier-0' }, 10n, false],
    [{ tierAfter: null }, 10n, false],
    [{ tier: null, tierAfter: null }, 10n, true],
  ];
  for (const [changes, oneIn, expected] of table)
    assert.equal(
      buys({ ...PRICE, ...changes }, oneIn),
      expected,
      JSON.stringify(changes, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    );
});

const AUCTION: AuctionSeen = {
  state: 'open',
  startsAtMs: HOUR,
  endsAtMs: 3 * HOUR,
  closesAtMs: HOUR / 2,
  reserve: MICRO / 10n,
  ownBid: null,
};
const PURSE: Purse = { available: 100n * MICRO, inBids: 0n, nowMs: 0, gpuHour: MICRO };

test('the agent bids the list price of the window, limited to a fifth of its money', () => {
  assert.equal(bidOf(AUCTION, PURSE), 2n * MICRO);
  assert.equal(bidOf(AUCTION, { ...PURSE, available: 10n * MICRO }), 2n * MICRO, 'a fifth is just enough');
  assert.equal(bidOf(AUCTION, { ...PURSE, available: 10n * MICRO - 5n }), 2n * MICRO - 1n);
  assert.equal(bidOf(AUCTION, { ...PURSE, gpuHour: 3n }), null, 'six micro are below the reserve');
  assert.equal(bidOf({ ...AUCTION, reserve: 6n }, { ...PURSE, gpuHour: 3n }), 6n);
  assert.equal(bidOf({ ...AUCTION, endsAtMs: HOUR + HOUR / 2 }, PURSE), MICRO / 2n);
});

test('all bids together are at most a fifth: money in open bids counts', () => {
  const inBids = 2n * MICRO;
  assert.equal(bidOf(AUCTION, { ...PURSE, available: 18n * MICRO, inBids }), 2n * MICRO);
  assert.equal(bidOf(AUCTION, { ...PURSE, available: 13n * MICRO, inBids }), MICRO);
  assert.equal(bidOf(AUCTION, { ...PURSE, available: 8n * MICRO, inBids }), null, 'the share is used up');
  assert.equal(
    bidOf({ ...AUCTION, reserve: 0n }, { ...PURSE, available: 8n * MICRO, inBids }),
    null,
    'the agent does not bid zero',
  );
  assert.equal(bidOf({ ...AUCTION, reserve: 0n }, { ...PURSE, available: 3n * MICRO, inBids }), null);
  for (const available of [0n, 1n, 4n, 5n, 6n, 999_999n, 7_654_321n]) {
    for (const held of [0n, 1n, 777n]) {
      const amount = bidOf({ ...AUCTION, reserve: 0n }, { ...PURSE, available, inBids: held });
      assert.ok(amount === null || (amount + held) * 5n <= available + held, `${available} ${held} ${amount}`);
    }
  }
});

test('the agent makes no bid below the reserve', () => {
  assert.equal(bidOf({ ...AUCTION, reserve: 2n * MICRO }, PURSE), 2n * MICRO);
  assert.equal(bidOf({ ...AUCTION, reserve: 2n * MICRO + 1n }, PURSE), null);
});

test('the agent bids once, in time, in an open auction of a suitable length', () => {
  assert.equal(bidOf({ ...AUCTION, ownBid: 1n }, PURSE), null);
  for (const state of ['sold', 'unsold', 'cancelled', 'lapsed'])
    assert.equal(bidOf({ ...AUCTION, state }, PURSE), null, state);
  assert.equal(bidOf({ ...AUCTION, endsAtMs: AUCTION.startsAtMs }, PURSE), null);
  assert.equal(bidOf({ ...AUCTION, closesAtMs: BID_LEAD_MS }, PURSE), 2n * MICRO);
  assert.equal(bidOf({ ...AUCTION, closesAtMs: BID_LEAD_MS - 1 }, PURSE), null);
});
