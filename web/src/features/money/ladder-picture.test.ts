import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byWeight, lostBelow, rungsOf } from './ladder-picture.ts';

const price = { per_hour: '0', per_thousand_tokens: '0' };
const STEPS = [
  { name: 'tier-0', rank: 0, min_balance: '0', seats: null, price },
  { name: 'tier-1', rank: 1, min_balance: '10', seats: { total: 4, free: 1 }, price },
  { name: 'tier-2', rank: 2, min_balance: '100', seats: null, price },
];

test('the ladder shows where an agent stands and how far it is to the next rung', () => {
  assert.deepEqual(
    rungsOf(STEPS, 32_500_000n, 'tier-1').map(({ name, place, filled }) => [name, place, filled]),
    [
      ['tier-2', 'next', 0.25],
      ['tier-1', 'here', 1],
      ['tier-0', 'passed', 1],
    ],
  );
  assert.deepEqual(
    rungsOf(STEPS, 0n, 'tier-0').map(({ place, filled }) => [place, filled]),
    [
      ['above', 0],
      ['next', 0],
      ['here', 1],
    ],
  );
  assert.deepEqual(
    rungsOf(STEPS, 500_000_000n, 'tier-2').map(({ place }) => place),
    ['here', 'passed', 'passed'],
  );
});

test('an agent without a tier has the lowest rung before it', () => {
  assert.deepEqual(
    rungsOf(STEPS, 0n, null).map(({ place }) => place),
    ['above', 'above', 'next'],
  );
});

test('a tier is lost only below what the rule of the api says', () => {
  assert.equal(lostBelow(STEPS, 'tier-1'), 9_000_000n);
  assert.equal(lostBelow(STEPS, 'tier-0'), null, 'it costs nothing to stay');
  assert.equal(lostBelow(STEPS, null), null);
});

test('what matters most of the next tier comes first', () => {
  assert.deepEqual(
    byWeight([
      { what: 'price_per_hour', from: '0', to: '1' },
      { what: 'memory', from: '1', to: '2' },
      { what: 'models', from: 'small', to: 'small, large' },
    ]).map(({ what }) => what),
    ['models', 'memory', 'price_per_hour'],
  );
});
