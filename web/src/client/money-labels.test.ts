import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeLabel, entryLabel, moneyLabel, priceLabel, readAmount, sumOf } from './money-labels.ts';

test('amounts are grouped and keep all their decimal places', () => {
  assert.deepEqual(['0', '12.5', '-1204', '1000000.000001'].map(moneyLabel), [
    '0.00 ai$',
    '12.50 ai$',
    '−1,204.00 ai$',
    '1,000,000.000001 ai$',
  ]);
  assert.deepEqual([changeLabel('5'), changeLabel('-0.25')], ['+5.00 ai$', '−0.25 ai$']);
  assert.equal(moneyLabel('a lot'), 'a lot');
  assert.equal(sumOf(['0.05', '0.5', '']), '0.55');
});

test('a price names only parts that cost something', () => {
  assert.equal(priceLabel({ per_hour: '0', per_thousand_tokens: '0' }), 'Free');
  assert.equal(
    priceLabel({ per_hour: '0.05', per_thousand_tokens: '0.002' }),
    '0.05 ai$ an hour · 0.002 ai$ per 1,000 tokens',
  );
});

test('typed amounts are read without guessing', () => {
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

test('an entry names its reason and its author', () => {
  assert.equal(entryLabel({ reason: 'reward', source: 'account c1' }, 'c1'), 'Reward by you');
  assert.equal(entryLabel({ reason: 'usage', source: 'system' }, null), 'Usage');
});
