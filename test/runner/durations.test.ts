import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slowest } from './durations.ts';

test('the list names ten files at most, in seconds', () => {
  const lines = slowest(Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`file-${index}`, index * 1_000])));
  assert.equal(lines.length, 10);
  assert.equal(lines[0], '   11.0 s  file-11');
});
