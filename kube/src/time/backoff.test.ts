import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WATCH_BACKOFF } from '../reflector/recovery.ts';
import { backoffMs } from './backoff.ts';

test('the wait doubles up to its maximum, and the random part spreads it over its upper half', () => {
  const ceilings = [1, 2, 3, 4, 5, 6, 7, 100].map((failures) => backoffMs(failures, WATCH_BACKOFF));
  assert.deepEqual(ceilings, [1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000, 30_000]);
  assert.equal(backoffMs(100, WATCH_BACKOFF, 0), 15_000);
});
