import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pauseAfter } from './pace.ts';

test('fast machines draw every frame, slow ones rest as long as they drew', () => {
  assert.deepEqual([16, 50, 51, 400, 9000].map(pauseAfter), [0, 0, 51, 400, 1000]);
});
