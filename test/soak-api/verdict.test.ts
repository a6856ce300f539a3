/** What a soak of the api calls a problem. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verdictOf } from './verdict.ts';
import type { Sample } from './verdict.ts';

const EVERY_MS = 10_000;
const COUNT = 360;

/** An hour of samples: the heap swings between collections. */
const hour = (heapAt: (hours: number, index: number) => number, handlesAt: (index: number) => number = () => 300): readonly Sample[] =>
  Array.from({ length: COUNT }, (_, index) => ({ atMs: index * EVERY_MS, heapMb: heapAt((index * EVERY_MS) / 3_600_000, index) + (index % 6) * 12, handles: handlesAt(index), stallMs: 10 }));

test('a flat heap with swings, flat handles and quick answers are no problem', () => {
  const verdict = verdictOf(hour(() => 100), 999);
  assert.deepEqual(verdict, { heapMbPerHour: 0, handlesEarly: 300, handlesLate: 300, problems: [] });
});

test('growth in the warm-up is not counted', () => {
  assert.deepEqual(verdictOf(hour((_hours, index) => 100 - Math.max(0, COUNT / 4 - index)), 1).problems, []);
});

test('a heap that falls is no problem', () => {
  assert.deepEqual(verdictOf(hour((hours) => 100 - 5 * hours), 1).problems, []);
});

test('the slope of the heap is measured in MB an hour, and below one is allowed', () => {
  const slow = verdictOf(hour((hours) => 100 + 0.9 * hours), 1);
  assert.ok(Math.abs(slow.heapMbPerHour - 0.9) < 1e-9, String(slow.heapMbPerHour));
  assert.deepEqual(slow.problems, []);
  assert.deepEqual(verdictOf(hour((hours) => 100 + 1.25 * hours), 1).problems, ['the heap grows by 1.25 MB an hour']);
});

test('handles may differ by twenty between the halves', () => {
  const late = (more: number) => (index: number): number => (index > COUNT * 0.75 ? 300 + more : 300);
  assert.deepEqual(verdictOf(hour(() => 100, late(20)), 1).problems, []);
  assert.deepEqual(verdictOf(hour(() => 100, late(21)), 1).problems, ['300 handles became 321']);
});

test('one answer of a second is a problem', () => {
  assert.deepEqual(verdictOf(hour(() => 100), 1_000).problems, ['/livez took 1000 ms once']);
});

test('too few samples for a slope are a problem, never a pass', () => {
  assert.equal(verdictOf(hour(() => 100).slice(0, 8), 1).problems.length, 1);
  assert.ok(verdictOf([], 1).problems.length > 0);
});
