import assert from 'node:assert/strict';
import { test } from 'node:test';
import { correctionAfter, Corrections, type Drawn, NO_CORRECTION } from './correction.ts';
import { ADA } from './drawn-agent.fixture.ts';

const drawnAt = ({ x, y, correction }: Drawn): { x: number; y: number } => ({
  x: x + correction.dx,
  y: y + correction.dy,
});

const correct = (last: Drawn | undefined, place: { x: number; y: number }, elapsedMs: number): Drawn => ({
  ...place,
  correction: correctionAfter(last, place, elapsedMs),
});

test('a walking figure is drawn at its true position', () => {
  let drawn = correct(undefined, { x: 10, y: 10 }, 16);
  for (let frame = 1; frame <= 60; frame++) {
    drawn = correct(drawn, { x: 10 + frame * 0.04, y: 10 }, 16);
    assert.deepEqual(drawn.correction, NO_CORRECTION);
  }
});

test('after a late path a figure slides to its true position without a jump', () => {
  const before = correct(undefined, { x: 10, y: 10 }, 16);
  let drawn = correct(before, { x: 11.2, y: 10 }, 16);
  assert.ok(Math.abs(drawnAt(drawn).x - 10) < 1e-9);
  let last = drawnAt(drawn).x;
  for (let frame = 0; frame < 120; frame++) {
    drawn = correct(drawn, { x: 11.2, y: 10 }, 16);
    const now = drawnAt(drawn).x;
    assert.ok(now >= last && now - last < 0.2);
    last = now;
  }
  assert.deepEqual(drawnAt(drawn), { x: 11.2, y: 10 });
});

test('a respawn elsewhere jumps at once', () => {
  const drawn = correct(correct(undefined, { x: 10, y: 10 }, 16), { x: 80, y: 4 }, 16);
  assert.deepEqual(drawnAt(drawn), { x: 80, y: 4 });
});

test('figures without an offset are drawn as they are; an offset fades and ends', () => {
  const corrections = new Corrections();
  assert.equal(corrections.apply([ADA], 16)[0], ADA);
  const late = { ...ADA, x: ADA.x + 1.2 };
  assert.deepEqual([corrections.apply([late], 16)[0]?.x, corrections.areFading], [ADA.x, true]);
  for (let frame = 0; frame < 120; frame++) corrections.apply([late], 16);
  assert.deepEqual([corrections.apply([late], 16)[0], corrections.areFading], [late, false]);
});

test('a figure that left the view comes back at its true position, also if another figure appeared at that moment', () => {
  const corrections = new Corrections();
  const moved = { ...ADA, x: ADA.x + 1.2 };
  corrections.apply([ADA], 16);
  corrections.apply([{ ...ADA, agentId: 'bob' }], 16);
  assert.deepEqual([corrections.apply([moved], 16)[0], corrections.areFading], [moved, false]);
});
