import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAmount } from '../../client/labels.ts';
import { byWeight, lostBelow, previewLabel, previewOf, rungsOf, tierLabel } from './tier-outlook.ts';

const price = { per_hour: '0', per_thousand_tokens: '0' };
const STEPS = [
  { name: 'tier-0', rank: 0, min_balance: '0', seats: null, price },
  { name: 'tier-1', rank: 1, min_balance: '10', seats: { total: 4, free: 1 }, price },
  { name: 'tier-2', rank: 2, min_balance: '100', seats: null, price },
];
const micro = (amount: string): bigint => readAmount(amount) ?? assert.fail(`${amount} is not an amount`);

test('an agent keeps its tier down to nine tenths of the balance that opens it', () => {
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
    'a penalty cannot take held money',
  );
});

test('a preview names the effect on the tier', () => {
  const up = { from: 'Free', to: 'tier-1', pinned: null };
  assert.equal(previewLabel(true, up), 'Free becomes tier-1');
  assert.equal(previewLabel(false, up), 'stays in tier-1');
  assert.equal(previewLabel(true, { ...up, pinned: 'tier-2' }), 'stays in tier-2, because it is pinned');
  assert.equal(previewLabel(true, { ...up, to: null }), 'Free becomes no tier');
});

test('a tier that costs nothing and is open to all agents is Free', () => {
  const tier = (name: string, least: string, per_hour: string) => ({
    name,
    min_balance: least,
    price: { per_hour, per_thousand_tokens: '0' },
  });
  const tiers = [tier('tier-0', '0', '0'), tier('tier-1', '10', '0'), tier('open', '0', '0.5')];
  const labels = ['tier-0', 'tier-1', 'open', 'gone', null].map((name) => tierLabel(tiers, name));
  assert.deepEqual(labels, ['Free', 'tier-1', 'open', 'gone', 'no tier']);
});

test('the ladder shows the tier of the agent and the way to the next one', () => {
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

test('among several tiers with one rank, the one that opens first is next', () => {
  const studio = { name: 'studio', rank: 1, min_balance: '1000000', seats: null, price };
  const rungs = rungsOf([studio, ...STEPS], 0n, 'tier-0');
  assert.deepEqual(
    rungs.map(({ name, place }) => [name, place]),
    [
      ['tier-2', 'above'],
      ['studio', 'above'],
      ['tier-1', 'next'],
      ['tier-0', 'here'],
    ],
  );
  const [highest] = rungsOf([studio, ...STEPS], 32_500_000n, 'tier-1');
  assert.deepEqual([highest?.place, highest?.filled], ['next', 0.25]);
});

test('the lowest tier is next for an agent without a tier', () => {
  assert.deepEqual(
    rungsOf(STEPS, 0n, null).map(({ place }) => place),
    ['above', 'above', 'next'],
  );
});

test('the lowest balance that keeps a tier follows the rule of the API', () => {
  assert.equal(lostBelow(STEPS, 'tier-1'), 9_000_000n);
  assert.equal(lostBelow(STEPS, 'tier-0'), null, 'any balance keeps it');
  assert.equal(lostBelow(STEPS, null), null);
});

test('the most important differences of the next tier come first', () => {
  assert.deepEqual(
    byWeight([
      { what: 'price_per_hour', from: '0', to: '1' },
      { what: 'memory', from: '1', to: '2' },
      { what: 'models', from: 'small', to: 'small, large' },
    ]).map(({ what }) => what),
    ['models', 'memory', 'price_per_hour'],
  );
});
