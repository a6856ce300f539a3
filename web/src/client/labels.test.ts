import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  accountIn,
  actorLabel,
  changeLabel,
  isOwn,
  moneyLabel,
  priceLabel,
  readAmount,
  shortMoneyLabel,
  sumOf,
} from './labels.ts';

const MINE = 'c1480749-6894-4f7a-a96b-7fdbdbfed044';

test('an act is signed with a name, and one\'s own with "you"', () => {
  assert.equal(actorLabel(`account ${MINE}`, 'admin', MINE), 'you');
  assert.equal(actorLabel(`account ${MINE}`, 'admin', null), 'admin c1480749');
  assert.equal(actorLabel(`account ${MINE}`, null, 'another'), 'account c1480749');
  assert.equal(actorLabel('agent ada', 'agent', MINE), 'ada');
  assert.equal(actorLabel('system', null, MINE), 'system');
  assert.equal(actorLabel('provider-tests', 'system', MINE), 'the village');
  assert.deepEqual([`account ${MINE}`, 'account mia', 'agent ada', MINE].map(accountIn), [MINE, null, null, null]);
  assert.deepEqual(
    [isOwn(`account ${MINE}`, MINE), isOwn(`account ${MINE}`, 'another'), isOwn('account null', null)],
    [true, false, false],
  );
});

test('amounts are grouped and keep all decimal places', () => {
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

test('a row rounds to hundredths, and keeps two digits of a smaller amount', () => {
  assert.deepEqual(['14.726966', '-1204', '0', '0.012', '-0.000966', '0.000001', 'unknown'].map(shortMoneyLabel), [
    '14.73 ai$',
    '−1,204.00 ai$',
    '0.00 ai$',
    '0.01 ai$',
    '−0.00097 ai$',
    '0.000001 ai$',
    'unknown',
  ]);
});

test('a price names only parts that cost something', () => {
  assert.equal(priceLabel({ per_hour: '0', per_thousand_tokens: '0' }), 'No charge');
  assert.equal(
    priceLabel({ per_hour: '0.05', per_thousand_tokens: '0.002' }),
    '0.05 ai$ an hour · 0.002 ai$ per 1,000 tokens',
  );
});

test('an ambiguous typed amount is refused', () => {
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
