import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeWords, entryWords, moneyWords, priceWords, readAmount, sumOf } from './money-words.ts';
import { previewOf, previewWords, tierOutlook } from './tier-outlook.ts';

const STEPS = [
  { name: 'tier-0', rank: 0, min_balance: '0' },
  { name: 'tier-1', rank: 1, min_balance: '10' },
  { name: 'tier-2', rank: 2, min_balance: '100' },
];
const micro = (amount: string): bigint => readAmount(amount) ?? assert.fail(`${amount} is no amount`);

test('amounts are grouped and keep every place they have', () => {
  assert.deepEqual(['0', '12.5', '-1204', '1000000.000001'].map(moneyWords), [
    '0.00 ai$',
    '12.50 ai$',
    '−1,204.00 ai$',
    '1,000,000.000001 ai$',
  ]);
  assert.deepEqual([changeWords('5'), changeWords('-0.25')], ['+5.00 ai$', '−0.25 ai$']);
  assert.equal(moneyWords('a lot'), 'a lot');
  assert.equal(sumOf(['0.05', '0.5', '']), '0.55');
});

test('prices say only what costs something', () => {
  assert.equal(priceWords({ per_hour: '0', per_thousand_tokens: '0' }), 'Free');
  assert.equal(
    priceWords({ per_hour: '0.05', per_thousand_tokens: '0.002' }),
    '0.05 ai$ an hour · 0.002 ai$ per 1,000 tokens',
  );
});

test('what people type is read, and nothing is guessed', () => {
  assert.deepEqual([' 12,5 ', '.5', '7', '', '1e3', '0.1234567', 'ten'].map(readAmount), [
    12_500_000n,
    500_000n,
    7_000_000n,
    null,
    null,
    null,
    null,
  ]);
});

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

test('entries say what for and by whom', () => {
  assert.equal(entryWords({ reason: 'reward', source: 'account c1' }, 'c1'), 'Reward by you');
  assert.equal(entryWords({ reason: 'usage', source: 'system' }, null), 'Usage');
});
