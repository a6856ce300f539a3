import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redSince, type Kept } from './results.ts';

const NOW = new Date('2026-11-28T12:00:00Z');
const at = (commit: string, failed: number, date: string): Kept => ({
  commit,
  results: { unit: { passed: 1, failed, seconds: 1, date } },
});

test('a failure names the first failing commit after the last green one, and its age', () => {
  const kept = [
    at('dddddddddd', 1, '2026-11-28T11:00:00Z'),
    { commit: 'cccccccccc', results: {} },
    at('bbbbbbbbbb', 2, '2026-11-27T12:00:00Z'),
    at('aaaaaaaaaa', 0, '2026-11-26T12:00:00Z'),
    at('9999999999', 1, '2026-11-25T12:00:00Z'),
  ];
  assert.equal(redSince('unit', kept, NOW), 'red since bbbbbbbb (24 h), green at aaaaaaaa');
});

test('without a green result, a failure names the oldest stored commit', () => {
  const kept = [at('bbbbbbbbbb', 1, '2026-11-28T10:00:00Z'), at('aaaaaaaaaa', 1, '2026-11-28T09:00:00Z')];
  assert.equal(redSince('unit', kept, NOW), 'red since aaaaaaaa (3 h), no green result is stored');
  assert.equal(redSince('unit', [], NOW), 'red for the first time');
  assert.equal(redSince('other', kept, NOW), 'red for the first time');
});
