import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DrawnAgent } from '@hamlet/core';
import { ADA, frame } from '../model/drawn-agent.fixture.ts';
import { drawList } from '../model/draw-list.ts';
import type { ScenePin } from '../model/scene.ts';
import { hitTest } from './hit-test.ts';

const LANDMARK = { id: 'cafe', name: 'Café', kind: 'cafe', x: 45, y: 50, slots: [] };

function listOf(agents: readonly DrawnAgent[], zoom = 32, pins: readonly ScenePin[] = []): ReturnType<typeof drawList> {
  const visible = { x: 0, y: 0, width: 128, height: 128 };
  return drawList(frame({ camera: { x: 50, y: 50, zoom }, visible, tick: 0, agents, landmarks: [LANDMARK], pins }));
}

test('a tap at the middle of a figure hits it', () => {
  for (const zoom of [6, 12, 32, 90]) {
    const list = listOf([ADA], zoom);
    const figure = list.figures[0];
    assert.ok(figure !== undefined);
    assert.deepEqual(hitTest(list, { x: figure.x, y: figure.y - figure.size / 2 }), { kind: 'agent', id: 'ada' });
  }
});

test('the front one of overlapping figures is hit', () => {
  const list = listOf([
    { ...ADA, agentId: 'behind' },
    { ...ADA, agentId: 'front', y: 50.4 },
  ]);
  const front = list.figures.at(-1);
  assert.ok(front !== undefined);
  assert.deepEqual(hitTest(list, { x: front.x, y: front.y - 4 }), { kind: 'agent', id: 'front' });
});

test('the target of a dot is at least 24 pixels wide for a mouse, and wider for a finger', () => {
  const crowd = Array.from({ length: 400 }, (_, index) => ({
    ...ADA,
    agentId: `x${index}`,
    x: 100 + (index % 20),
    y: 100,
  }));
  const list = listOf([ADA, ...crowd], 6);
  const dot = list.figures.find((figure) => figure.id === 'ada');
  assert.ok(dot?.dot);
  assert.equal(hitTest(list, { x: dot.x + 11, y: dot.y }).kind, 'agent');
  assert.equal(hitTest(list, { x: dot.x + 18, y: dot.y }).kind, 'ground');
  assert.equal(hitTest(list, { x: dot.x + 18, y: dot.y }, true).kind, 'agent');
});

test('names and places can be hit, and open ground is reported', () => {
  const list = listOf([ADA]);
  const name = list.names[0];
  const place = list.landmarks[0];
  assert.ok(name !== undefined && place !== undefined);
  assert.deepEqual(hitTest(list, { x: name.x, y: name.y + 9 }), { kind: 'agent', id: 'ada' });
  assert.deepEqual(hitTest(list, { x: place.x, y: place.y }), { kind: 'landmark', id: 'cafe' });
  assert.deepEqual(hitTest(list, { x: 10, y: 10 }), { kind: 'ground' });
});

test('a pin is hit at its head, not at the ground below its tip', () => {
  const list = listOf([], 32, [{ id: 'p1', x: 53, y: 50, tone: 'plain' }]);
  const pin = list.pins[0];
  assert.ok(pin !== undefined);
  assert.deepEqual(hitTest(list, { x: pin.x, y: pin.y - 20 }), { kind: 'pin', ids: ['p1'] });
  assert.deepEqual(hitTest(list, { x: pin.x, y: pin.y + 12 }), { kind: 'ground' });
});
