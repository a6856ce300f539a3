/** Checks which faults the verdict of an api soak finds. */
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

const flat = hour(() => 100);
const handlesGrowBy = (more: number): readonly Sample[] =>
  hour(
    () => 100,
    (index) => (index > COUNT * 0.75 ? 300 + more : 300),
  );

const CASES: Readonly<Record<string, readonly [samples: readonly Sample[], longestLivezMs: number, problems: number]>> =
  {
    'a heap without growth, constant handles and quick answers pass': [flat, 999, 0],
    'growth in the warm-up is not counted': [hour((_hours, index) => 100 - Math.max(0, COUNT / 4 - index)), 1, 0],
    'a shrinking heap is not a problem': [hour((hours) => 100 - 5 * hours), 1, 0],
    'heap growth of less than one MB an hour is allowed': [hour((hours) => 100 + 0.9 * hours), 1, 0],
    'heap growth of more than one MB an hour is a problem': [hour((hours) => 100 + 1.25 * hours), 1, 1],
    'handles may differ by twenty between the halves': [handlesGrowBy(20), 1, 0],
    'a difference of more than twenty handles is a problem': [handlesGrowBy(21), 1, 1],
    'one answer of a second is a problem': [flat, 1_000, 1],
    'a single sample is a problem, never a pass': [flat.slice(0, 1), 1, 2],
  };
for (const [what, [samples, longestLivezMs, problems]] of Object.entries(CASES))
  test(what, () => assert.equal(verdictOf(samples, longestLivezMs).problems.length, problems));

test('heap growth is measured in MB an hour, and no samples are a problem', () => {
  const growth = (mb: number): number =>
    verdictOf(
      hour((hours) => 100 + mb * hours),
      1,
    ).heapMbPerHour;
  assert.ok(Math.abs(growth(1.25) - growth(0.9) - 0.35) < 1e-9);
  assert.ok(verdictOf([], 1).problems.length > 0);
});
