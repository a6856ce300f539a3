import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, cpuMillis, quantity, QuantityError } from './quantity.ts';

test('all forms of Kubernetes quantities are parsed', () => {
  const cases: readonly (readonly [string | number | undefined, number])[] = [
    ['500m', 0.5],
    ['2', 2],
    [2, 2],
    ['0.25', 0.25],
    ['.5', 0.5],
    ['1e3', 1_000],
    ['1E3', 1_000],
    ['1k', 1_000],
    ['1Ki', 1_024],
    ['1.5Gi', 1_610_612_736],
    ['100n', 1e-7],
    ['12E', 12e18],
    [undefined, 0],
    ['-1', -1],
  ];
  for (const [text, value] of cases)
    assert.ok(Math.abs(quantity(text) - value) <= Math.abs(value) * 1e-12, `${text} is ${quantity(text)}`);
});

test('cpu is counted in thousandths and memory in bytes, rounded up without binary rounding errors', () => {
  assert.deepEqual(['1930m', '0.1', '1100u', '4', '1k', '100u'].map(cpuMillis), [1_930, 100, 2, 4_000, 1_000_000, 1]);
  assert.deepEqual(['1Mi', '128974848', '123M', '1500m', '1e3', '1Gi'].map(bytes), [
    1_048_576,
    128_974_848,
    123_000_000,
    2,
    1_000,
    2 ** 30,
  ]);
});

test('the error names a text that is not a quantity', () => {
  for (const text of ['', 'many', '1 Gi', '1gi', 'NaN', '--1'])
    for (const read of [quantity, cpuMillis, bytes])
      assert.throws(() => read(text), new QuantityError(`"${text}" is not a quantity: write for example 500m or 2Gi`));
});
