import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BalanceTier, tierOfBalance } from './tier.ts';

const TIERS: readonly BalanceTier[] = [
  { name: 'tier-2', rank: 2, minBalance: 100n },
  { name: 'tier-0', rank: 0, minBalance: 0n },
  { name: 'tier-1', rank: 1, minBalance: 50n },
];

const CASES: readonly (readonly [balance: bigint, current: string | null, expected: string | null, why: string])[] = [
  [0n, null, 'tier-0', 'opens at its threshold'],
  [-1n, null, null, 'below every threshold'],
  [-1n, 'tier-0', null, 'a threshold of zero has no slack'],
  [49n, null, 'tier-0', 'slack does not open a tier'],
  [49n, 'tier-0', 'tier-0', 'slack does not open a tier for one below it'],
  [50n, 'tier-0', 'tier-1', 'opens at its threshold'],
  [45n, 'tier-1', 'tier-1', 'kept at exactly nine tenths'],
  [44n, 'tier-1', 'tier-0', 'left below nine tenths'],
  [99n, 'tier-1', 'tier-1', 'the slack of the tier above does not open it'],
  [100n, 'tier-0', 'tier-2', 'two up at once'],
  [90n, 'tier-2', 'tier-2', 'kept'],
  [89n, 'tier-2', 'tier-1', 'down by one'],
  [47n, 'tier-2', 'tier-1', 'falls past the highest and lands within the slack of the next'],
  [44n, 'tier-2', 'tier-0', 'down by two'],
  [47n, 'gone', 'tier-0', 'a deleted tier gives no slack'],
];

for (const [balance, current, expected, why] of CASES) {
  test(`${balance} from ${current ?? 'nothing'} is ${expected ?? 'nothing'}: ${why}`, () => {
    assert.equal(tierOfBalance(TIERS, balance, current), expected);
    assert.equal(tierOfBalance(TIERS.toReversed(), balance, current), expected, 'in any order of the tiers');
  });
}

test('a negative threshold has its slack below it', () => {
  const debtors: readonly BalanceTier[] = [{ name: 'debtor', rank: 0, minBalance: -100n }];
  assert.equal(tierOfBalance(debtors, -101n, null), null);
  assert.equal(tierOfBalance(debtors, -110n, 'debtor'), 'debtor');
  assert.equal(tierOfBalance(debtors, -111n, 'debtor'), null);
});

test('a balance that swings by less than a tenth never changes the tier twice', () => {
  let current: string | null = null;
  let changes = 0;
  for (const balance of [49n, 50n, 46n, 50n, 45n, 55n, 46n]) {
    const next = tierOfBalance(TIERS, balance, current);
    if (current !== null && next !== current) changes += 1;
    current = next;
  }
  assert.equal(changes, 1);
});

test('among tiers of equal rank the higher threshold comes first, then the first name', () => {
  const twins: readonly BalanceTier[] = [
    { name: 'b', rank: 1, minBalance: 5n },
    { name: 'a', rank: 1, minBalance: 5n },
    { name: 'c', rank: 1, minBalance: 3n },
  ];
  assert.equal(tierOfBalance(twins, 9n, null), 'a');
  assert.equal(tierOfBalance(twins, 4n, null), 'c');
  assert.equal(
    tierOfBalance(
      [
        { name: 'a', rank: 1, minBalance: 3n },
        { name: 'b', rank: 1, minBalance: 5n },
      ],
      9n,
      null,
    ),
    'b',
    'the threshold comes before the name',
  );
  assert.equal(
    tierOfBalance(
      [
        { name: 'a', rank: 1, minBalance: 5n },
        { name: 'b', rank: 2, minBalance: 3n },
      ],
      9n,
      null,
    ),
    'b',
    'the rank comes before the threshold',
  );
});
