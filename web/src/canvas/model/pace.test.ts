import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pauseAfter } from './pace.ts';

test('a fast machine draws every frame; a slow one pauses, longer while no person moves the map', () => {
  const pauses = (next: Parameters<typeof pauseAfter>[1]): readonly number[] =>
    [16, 50, 51, 400, 9000].map((costMs) => pauseAfter(costMs, next));
  assert.deepEqual(pauses('asked'), [0, 0, 51, 400, 1000]);
  assert.deepEqual(pauses('motion'), [0, 0, 204, 1000, 1000]);
  assert.deepEqual(pauses('rest'), [0, 0, 204, 1000, 1000]);
});
