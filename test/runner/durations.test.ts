import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slowest, slowestFirst } from './durations.ts';

test('the slowest files go first, after those without a measurement', () => {
  assert.deepEqual(slowestFirst(['a', 'b', 'c', 'd'], { a: 1, b: 30, d: 2 }), ['c', 'b', 'd', 'a']);
  assert.deepEqual(slowestFirst(['b', 'a'], {}), ['b', 'a']);
});

test('the list names ten files at most, in seconds', () => {
  const lines = slowest(Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`file-${index}`, index * 1_000])));
  assert.equal(lines.length, 10);
  assert.equal(lines[0], '   11.0 s  file-11');
});
