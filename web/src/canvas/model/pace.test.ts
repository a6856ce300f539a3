import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causeOf, GAP_MS, isSlow, paintTime, pauseAfter } from './pace.ts';

test('a fast machine draws every frame; a slow one pauses, longer while no person moves the map', () => {
  const pauses = (next: Parameters<typeof pauseAfter>[1]): readonly number[] =>
    [16, 50, 51, 400, 9000].map((costMs) => pauseAfter(costMs, next));
  assert.deepEqual(pauses('asked'), [0, 0, 51, 400, 1000]);
  assert.deepEqual(pauses('motion'), [0, 0, 204, 1000, 1000]);
  assert.deepEqual(pauses('rest'), [0, 0, 204, 1000, 1000]);
  assert.deepEqual([50, 51].map(isSlow), [false, true]);
});

test('missing ground is painted for a few milliseconds in a fast frame, and longer in a slow one', () => {
  assert.deepEqual([0, 16, 50, 51, 150, 900].map(paintTime), [6, 6, 6, 51, 150, 200]);
});

test('a map is checked every 10 s while nothing on it moves, more often right after a change of the world', () => {
  const still = { isAsked: false, isMoving: false, isLively: false, changedMs: 60_000 };
  const changes = [{}, { changedMs: 1_000 }, { isLively: true }, { isMoving: true }, { isMoving: true, isAsked: true }];
  const causes = changes.map((change) => causeOf({ ...still, ...change }));
  assert.deepEqual(causes, ['still', 'rest', 'rest', 'motion', 'asked']);
  assert.deepEqual(
    causes.map((cause) => GAP_MS[cause]),
    [10_000, 160, 160, 0, 0],
  );
});
