import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Amount, AMOUNT_MAX_AIDOLLARS, formatAiDollars, parseAiDollars } from './money.ts';

const PAIRS: readonly (readonly [string, bigint])[] = [
  ['0', 0n],
  ['0.000001', 1n],
  ['12.5', 12_500_000n],
  ['-12.5', -12_500_000n],
  ['-0.1', -100_000n],
  ['1000000000', 1_000_000_000_000_000n],
];

test('amounts are parsed and formatted without loss', () => {
  for (const [text, micro] of PAIRS) {
    assert.equal(parseAiDollars(text), micro);
    assert.equal(formatAiDollars(micro), text);
  }
  assert.equal(parseAiDollars('3.50'), 3_500_000n);
  for (let micro = -2_000_003n; micro < 2_000_003n; micro += 7_919n)
    assert.equal(parseAiDollars(formatAiDollars(micro)), micro);
});

test('a text that is not an amount is refused', () => {
  for (const text of ['', '.5', '5.', '1e3', '01', '+1', '1,5', ' 1', '0x10', 'NaN', '0.0000001', '--1'])
    assert.throws(() => parseAiDollars(text), RangeError, text);
});

test('an amount in a request is a decimal string or a whole number, and becomes its canonical text', () => {
  for (const amount of [5, '5', '5.0', '5.000000']) assert.equal(Amount.parse(amount), '5');
  assert.equal(Amount.parse('0.000001'), '0.000001');
  assert.equal(Amount.parse(AMOUNT_MAX_AIDOLLARS), String(AMOUNT_MAX_AIDOLLARS));
  for (const amount of [
    0,
    '0',
    '0.0',
    -1,
    '-1',
    0.1,
    1.5,
    AMOUNT_MAX_AIDOLLARS + 1,
    `${AMOUNT_MAX_AIDOLLARS}.000001`,
    '1e3',
    'NaN',
    null,
    true,
    {},
  ]) {
    assert.equal(Amount.safeParse(amount).success, false, JSON.stringify(amount));
  }
});
