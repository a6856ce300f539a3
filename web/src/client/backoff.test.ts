import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoffMs } from './backoff.ts';

test('waits grow up to a limit, and half of each wait is random', () => {
  assert.deepEqual(
    [backoffMs(0, 0), backoffMs(0, 1), backoffMs(3, 1), backoffMs(99, 1), backoffMs(99, 0)],
    [250, 500, 4000, 15_000, 7500],
  );
});
