import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextMeter, ratesOf } from './meters.ts';

const at = (atMs: number, value: number) => {
  const counter = { atMs, value };
  return { cpu: counter, received: counter, sent: null };
};

const CASES: readonly [name: string, atMs: number, value: number, bytesPerSecond: number | null][] = [
  ['a counter that grew', 10_000, 2_000, 100],
  ['a counter that stood still', 10_000, 1_000, 0],
  ['a counter that restarted', 10_000, 10, null],
  ['a reading from before the last one', -5, 2_000, null],
  ['a gap of two minutes', 120_000, 121_000, 1_000],
  ['a longer gap', 120_001, 121_000, null],
];

for (const [name, atMs, value, expected] of CASES)
  test(`${name} gives ${expected ?? 'no'} bytes a second`, () => {
    const rates = ratesOf(nextMeter(at(atMs, value), nextMeter(at(0, 1_000), undefined)));
    assert.deepEqual(rates, {
      cpuCores: expected === null ? null : expected / 1e9,
      receivedPerS: expected,
      sentPerS: null,
    });
  });

test('the first reading has no rate, and a repeated one keeps its rate', () => {
  const first = nextMeter(at(0, 0), undefined);
  assert.equal(ratesOf(first).receivedPerS, null);
  const second = nextMeter(at(1_000, 5), first);
  assert.equal(ratesOf(nextMeter(at(1_000, 5), second)).receivedPerS, 5);
  assert.equal(ratesOf(nextMeter({ cpu: null, received: null, sent: null }, second)).receivedPerS, null);
});
