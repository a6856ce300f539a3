import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAmount } from './money-labels.ts';
import { byWeight, lostBelow, previewOf, previewWords, rungsOf, tierOutlook } from './tier-outlook.ts';

const price = { per_hour: '0', per_thousand_tokens: '0' };
const STEPS = [
  { name: 'tier-0', rank: 0, min_balance: '0', seats: null, price },
  { name: 'tier-1', rank: 1, min_balance: '10', seats: { total: 4, free: 1 }, price },
  { name: 'tier-2', rank: 2, min_balance: '100', seats: null, price },
];
const micro = (amount: string): bigint => readAmount(amount) ?? assert.fail(`${amount} is no amount`);

test('an outlook names the next tier and what is missing', () => {
  assert.deepEqual(tierOutlook(STEPS, micro('8'), 'tier-0'), {
    tier: 'tier-0',
    next: { name: 'tier-1', missing: '2' },
  });
  assert.deepEqual(tierOutlook(STEPS, micro('250'), 'tier-2'), { tier: 'tier-2', next: null });
  assert.deepEqual(tierOutlook([], 0n, null), { tier: null, next: null });
});

test('a tier is kept down to nine tenths of what opened it', () => {
  const account = { balance: micro('10'), available: micro('10'), tier: 'tier-1' };
  assert.deepEqual(previewOf(STEPS, account, -micro('1')), {
    after: '9',
    tier: 'tier-1',
    changes: false,
    tooMuch: false,
  });
  assert.deepEqual(previewOf(STEPS, account, -micro('1.000001')), {
    after: '8.999999',
    tier: 'tier-0',
    changes: true,
    tooMuch: false,
  });
  assert.equal(
    previewOf(STEPS, { ...account, available: micro('3') }, -micro('4')).tooMuch,
    true,
    'what is held cannot be taken',
  );
});

test('a preview says what becomes of the tier', () => {
  const up = { after: '12', tier: 'tier-1', changes: true, tooMuch: false };
  assert.equal(previewWords(up, 'tier-0', null), 'tier-0 becomes tier-1');
  assert.equal(previewWords({ ...up, changes: false }, 'tier-1', null), 'stays in tier-1');
  assert.equal(previewWords(up, 'tier-0', 'tier-2'), 'stays in tier-2, where it is pinned');
  assert.equal(previewWords({ ...up, tier: null }, 'tier-0', null), 'tier-0 becomes no tier');
});

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
