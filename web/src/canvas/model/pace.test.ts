import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pauseAfter } from './pace.ts';

test('a fast machine draws every frame; a slow one pauses after each for as long as the frame took', () => {
  assert.deepEqual([16, 50, 51, 400, 9000].map(pauseAfter), [0, 0, 51, 400, 1000]);
});
