/** The faults that the verdict of a soak of the api finds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verdictOf, type Sample } from './verdict.ts';

const EVERY_MS = 30_000;
const COUNT = 120;

/** An hour of samples: the heap varies with the requests in progress. */
const hour = (
  heapAt: (hours: number, index: number) => number,
  handlesAt: (index: number) => number = () => 300,
): readonly Sample[] =>
  Array.from({ length: COUNT }, (_, index) => ({
    atMs: index * EVERY_MS,
    heapMb: heapAt((index * EVERY_MS) / 3_600_000, index) + (index % 2),
    handles: handlesAt(index),
    stallMs: 10,
  }));

test('a heap that varies without growth, constant handles and quick answers are no problem', () => {
  const verdict = verdictOf(
    hour(() => 100),
    999,
  );
  assert.ok(Math.abs(verdict.heapMbPerHour) < 0.2, String(verdict.heapMbPerHour));
  assert.deepEqual([verdict.handlesEarly, verdict.handlesLate, verdict.problems], [300, 300, []]);
});

test('growth in the warm-up is not counted', () => {
  assert.deepEqual(
    verdictOf(
      hour((_hours, index) => 100 - Math.max(0, COUNT / 4 - index)),
      1,
    ).problems,
    [],
  );
});

test('a heap that falls is no problem', () => {
  assert.deepEqual(
    verdictOf(
      hour((hours) => 100 - 5 * hours),
      1,
    ).problems,
    [],
  );
});

test('the slope of the heap is measured in MB an hour, and below one is allowed', () => {
  const slow = verdictOf(
    hour((hours) => 100 + 0.9 * hours),
    1,
  );
  assert.deepEqual(slow.problems, []);
  const fast = verdictOf(
    hour((hours) => 100 + 1.25 * hours),
    1,
  );
  assert.ok(Math.abs(fast.heapMbPerHour - slow.heapMbPerHour - 0.35) < 1e-9);
  assert.equal(fast.problems.length, 1);
});

test('handles may differ by twenty between the halves', () => {
  const late =
    (more: number) =>
    (index: number): number =>
      index > COUNT * 0.75 ? 300 + more : 300;
  assert.deepEqual(
    verdictOf(
      hour(() => 100, late(20)),
      1,
    ).problems,
    [],
  );
  assert.deepEqual(
    verdictOf(
      hour(() => 100, late(21)),
      1,
    ).problems,
    ['300 handles became 321'],
  );
});

test('one answer of a second is a problem', () => {
  assert.deepEqual(
    verdictOf(
      hour(() => 100),
      1_000,
    ).problems,
    ['/livez took 1000 ms once'],
  );
});

test('too few samples for a slope are a problem, never a pass', () => {
  assert.ok(verdictOf(hour(() => 100).slice(0, 1), 1).problems.length > 0);
  assert.ok(verdictOf([], 1).problems.length > 0);
});
