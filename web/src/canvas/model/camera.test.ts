import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Camera, Viewport } from './camera.ts';
import {
  clampCamera,
  fitRect,
  glide,
  MAX_ZOOM,
  MIN_ZOOM,
  panBy,
  screenToWorld,
  showPeople,
  tourOf,
  visibleTiles,
  worldToScreen,
  zoomAt,
} from './camera.ts';

const VIEWPORT: Viewport = { width: 1000, height: 600, insetLeft: 200, insetRight: 0, insetTop: 50, insetBottom: 0 };
const CAMERA: Camera = { x: 40, y: 30, zoom: 20 };
const MAP = { width: 128, height: 128 };

test('the conversions between screen and world are inverse', () => {
  for (const world of [
    { x: 0, y: 0 },
    { x: 40, y: 30 },
    { x: 127.5, y: 3.25 },
  ]) {
    const back = screenToWorld(CAMERA, VIEWPORT, worldToScreen(CAMERA, VIEWPORT, world));
    assert.ok(Math.abs(back.x - world.x) < 1e-9 && Math.abs(back.y - world.y) < 1e-9);
  }
});

test('the camera centres on the uncovered part of the viewport', () => {
  assert.deepEqual(worldToScreen(CAMERA, VIEWPORT, { x: 40, y: 30 }), { x: 600, y: 325 });
});

test('zooming keeps the tile under the pointer where it is', () => {
  const screen = { x: 777, y: 123 };
  const before = screenToWorld(CAMERA, VIEWPORT, screen);
  const after = screenToWorld(zoomAt(CAMERA, VIEWPORT, { screen, factor: 1.7 }), VIEWPORT, screen);
  assert.ok(Math.hypot(after.x - before.x, after.y - before.y) < 1e-9);
});

test('zooming stops at its limits and still keeps the tile in place', () => {
  const screen = { x: 300, y: 500 };
  for (const [factor, zoom] of [
    [1000, MAX_ZOOM],
    [0.0001, MIN_ZOOM],
  ] as const) {
    const camera = zoomAt(CAMERA, VIEWPORT, { screen, factor });
    assert.equal(camera.zoom, zoom);
    const before = screenToWorld(CAMERA, VIEWPORT, screen);
    const after = screenToWorld(camera, VIEWPORT, screen);
    assert.ok(Math.hypot(after.x - before.x, after.y - before.y) < 1e-9);
  }
});

test('a drag moves the map with the hand', () => {
  assert.deepEqual(panBy(CAMERA, 40, -20), { x: 38, y: 31, zoom: 20 });
});

test('the middle of the view never leaves the map', () => {
  assert.deepEqual(clampCamera({ x: -5, y: 900, zoom: 1 }, MAP), { x: 0, y: 128, zoom: MIN_ZOOM });
});

test('a fitted rectangle is completely visible', () => {
  const rect = { x: 10, y: 20, width: 60, height: 30 };
  const camera = fitRect(rect, VIEWPORT, 90);
  const upperLeft = worldToScreen(camera, VIEWPORT, { x: 10, y: 20 });
  const lowerRight = worldToScreen(camera, VIEWPORT, { x: 70, y: 50 });
  assert.ok(upperLeft.x >= 200 && upperLeft.y >= 50 && lowerRight.x <= 1000 && lowerRight.y <= 600);
});

test('a first visit shows the agents, or the whole map if there are none', () => {
  const near = showPeople(
    [
      { x: 50, y: 50 },
      { x: 56, y: 52 },
    ],
    VIEWPORT,
    MAP,
  );
  assert.equal(near.zoom, 28);
  assert.ok(Math.abs(near.x - 53.5) < 1 && Math.abs(near.y - 51.5) < 1);
  const far = showPeople(
    [
      { x: 0, y: 0 },
      { x: 127, y: 127 },
    ],
    VIEWPORT,
    MAP,
  );
  assert.ok(far.zoom >= 8);
  assert.equal(showPeople([], VIEWPORT, MAP).x, 64);
});

test('a tour moves the camera when an agent leaves the view; a crowd has no tour', () => {
  const at = { viewport: VIEWPORT, map: MAP };
  const people = [
    { x: 40, y: 40 },
    { x: 50, y: 44 },
  ];
  const start = showPeople(people, VIEWPORT, MAP);
  assert.equal(tourOf(start, people, at), start);
  const gone = people.map(({ x, y }) => ({ x: x + 60, y }));
  assert.ok(Math.abs(tourOf(start, gone, at).x - start.x - 60) < 1);
  const crowd = Array.from({ length: 13 }, () => ({ x: 100, y: 40 }));
  assert.equal(tourOf(start, crowd, at), start);
});

test('visible tiles cover the viewport, within the map and its edge', () => {
  const rect = visibleTiles(CAMERA, VIEWPORT, { map: MAP, margin: 2, edge: 24 });
  const corner = screenToWorld(CAMERA, VIEWPORT, { x: 0, y: 0 });
  assert.ok(rect.x <= corner.x && rect.y <= corner.y);
  const all = visibleTiles({ x: 64, y: 64, zoom: 1 }, VIEWPORT, { map: MAP, margin: 2, edge: 24 });
  assert.deepEqual(all, { x: -24, y: -24, width: 176, height: 176 });
});

test('a glide approaches its target each frame and arrives', () => {
  const target: Camera = { x: 60, y: 10, zoom: 60 };
  let camera = CAMERA;
  for (let frame = 0; frame < 200 && camera !== target; frame++) {
    const next = glide(camera, target, 16);
    assert.ok(Math.hypot(next.x - target.x, next.y - target.y) <= Math.hypot(camera.x - target.x, camera.y - target.y));
    camera = next;
  }
  assert.equal(camera, target);
});
