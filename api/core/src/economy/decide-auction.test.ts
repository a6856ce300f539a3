import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Seeded } from '@hamlet/test/env/seeded';
import { pluck } from '@hamlet/test/env/pluck';
import { decideAuction, type OpenBid } from './decide-auction.ts';

function bid(agentId: string, amount: bigint, place: number): OpenBid {
  return { bidId: `bid of ${agentId}`, agentId, amount, place, eligible: true };
}

/** A bid of an agent that may not win the window. */
function barred(agentId: string, amount: bigint, place: number): OpenBid {
  return { ...bid(agentId, amount, place), eligible: false };
}

test('the highest bid wins and pays the second highest, at least the reserve', () => {
  const cases: readonly (readonly [readonly OpenBid[], string | null, bigint | null])[] = [
    [[], null, null],
    [[bid('a', 9n, 1)], null, null],
    [[bid('a', 10n, 1)], 'a', 10n],
    [[bid('a', 50n, 1)], 'a', 10n],
    [[bid('a', 50n, 1), bid('b', 30n, 2)], 'a', 30n],
    [[bid('a', 30n, 1), bid('b', 50n, 2), bid('c', 40n, 3)], 'b', 40n],
    [[bid('a', 50n, 2), bid('b', 50n, 1)], 'b', 50n],
    [[barred('a', 90n, 1), bid('b', 50n, 2)], 'b', 10n],
    [[barred('a', 90n, 1)], null, null],
    [[bid('a', 90n, 1), barred('b', 80n, 2), bid('c', 20n, 3)], 'a', 20n],
  ];
  for (const [bids, winner, price] of cases) {
    const result = decideAuction(10n, bids);
    assert.deepEqual([result.winner?.agentId ?? null, result.winner?.price ?? null], [winner, price]);
    assert.equal(result.others.length + (result.winner === null ? 0 : 1), bids.length, 'every bid gets an outcome');
  }
  assert.deepEqual(
    pluck(decideAuction(10n, [barred('a', 90n, 1), bid('b', 50n, 2), bid('c', 20n, 3)]).others, 'outcome'),
    ['passed_over', 'lost'],
  );
});

test('no agent gains by bidding anything but its true value of the window', () => {
  const seeded = new Seeded(30);
  const whole = (low: number, high: number): number => Math.floor(seeded.between(low, high + 1));
  for (let round = 0; round < 2_000; round += 1) {
    const others = Array.from({ length: whole(0, 4) }, (_, index) =>
      bid(`other-${index}`, BigInt(whole(1, 40)), index + 2),
    );
    const [worth, lie] = [BigInt(whole(1, 40)), BigInt(whole(1, 40))];
    const gain = (amount: bigint): bigint => {
      const { winner } = decideAuction(5n, [bid('me', amount, 1), ...others]);
      return winner?.agentId === 'me' ? worth - winner.price : 0n;
    };
    assert.ok(
      gain(worth) >= gain(lie),
      `worth ${worth}, bid ${lie} against ${others.map(({ amount }) => amount).join()}`,
    );
  }
});
