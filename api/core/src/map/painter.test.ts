import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Painter } from './painter.ts';
import { terrainCode } from './terrain.ts';

test('the painter ignores tiles outside the canvas instead of wrapping into the next row', () => {
  const painter = new Painter(4, 3);
  painter.fill({ x: 0, y: 0, width: 4, height: 3 }, 'road');
  for (const [x, y] of [
    [-1, 1],
    [4, 1],
    [1, -1],
    [1, 3],
  ] as const) {
    assert.equal(painter.is(x, y, 'road'), false, `${x},${y}`);
    painter.set(x, y, 'water');
  }
  for (const [x, y] of [
    [0, 0],
    [3, 0],
    [0, 2],
    [3, 2],
  ] as const)
    assert.equal(painter.is(x, y, 'road'), true, `${x},${y}`);
  assert.ok(painter.terrain.every((code) => code === terrainCode('road')));
  painter.fill({ x: 2, y: 1, width: 9, height: 9 }, 'sand');
  assert.equal(painter.terrain.filter((code) => code === terrainCode('sand')).length, 4);
});

test('a frame is one tile thick', () => {
  const painter = new Painter(6, 6);
  painter.frame({ x: 1, y: 1, width: 4, height: 4 }, 'wall');
  assert.equal(painter.terrain.filter((code) => code === terrainCode('wall')).length, 12);
  assert.equal(painter.is(2, 2, 'wall'), false);
  assert.equal(painter.is(4, 4, 'wall'), true);
});
