import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  instantAfter,
  instantsOf,
  rangeOf,
  scaleOf,
  type Series,
  spread,
  stepPath,
  timeTicks,
  valueAt,
  valueTicks,
} from './series.ts';

const ADA: Series = {
  id: 'ada',
  name: 'Ada',
  points: [
    { atMs: 100, value: 4 },
    { atMs: 300, value: 10 },
    { atMs: 600, value: 6 },
  ],
};
const FRAME = { fromMs: 200, toMs: 700, low: 0, high: 10 };

test('a balance holds until its next change, and is null before the first', () => {
  assert.deepEqual(
    [50, 100, 299, 300, 900].map((atMs) => valueAt(ADA.points, atMs)),
    [null, 4, 4, 10, 6],
  );
});

test('the line is level between changes and reaches the end of the frame', () => {
  const scale = scaleOf(FRAME, { width: 500, height: 100 });
  assert.equal(stepPath(ADA.points, FRAME, scale), 'M0 60H100V0H400V40H500');
  assert.equal(
    stepPath(ADA.points, { ...FRAME, fromMs: 0 }, scaleOf({ ...FRAME, fromMs: 0 }, { width: 700, height: 100 })),
    'M100 60H100V60H300V0H600V40H700',
    'the line of an account that is newer than the frame starts at its first entry',
  );
  assert.equal(stepPath([], FRAME, scale), '');
});

test('the range includes the values at the start of the frame', () => {
  assert.deepEqual(rangeOf([ADA], 350, 400), { low: 10, high: 10 });
  assert.deepEqual(rangeOf([ADA], 200, 700), { low: 4, high: 10 });
  assert.equal(rangeOf([], 0, 1), null);
});

test('the arrow keys move from change to change', () => {
  const instants = instantsOf(
    [
      ADA,
      {
        ...ADA,
        id: 'bob',
        points: [
          { atMs: 300, value: 1 },
          { atMs: 400, value: 2 },
        ],
      },
    ],
    200,
    700,
  );
  assert.deepEqual(instants, [200, 300, 400, 600, 700]);
  assert.equal(instantAfter(instants, 410, 1), 600);
  assert.equal(instantAfter(instants, 200, -1), 200);
  assert.equal(instantAfter(instants, 700, 1), 700);
});

test('labels at the same height are moved apart and stay in the plot', () => {
  assert.deepEqual(spread([50, 52, 10], 16, 100), [50, 66, 10]);
  assert.deepEqual(spread([98, 99, 100], 16, 100), [68, 84, 100]);
});

test('value ticks are round and include all values', () => {
  assert.deepEqual(valueTicks(0, 10, 4), [0, 2.5, 5, 7.5, 10]);
  assert.deepEqual(valueTicks(0.2, 0.9, 4), [0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(valueTicks(0, 1234, 4), [0, 500, 1000, 1500]);
  assert.deepEqual(valueTicks(-3, 4, 4), [-4, -2, 0, 2, 4]);
});

test('a single value still has a scale around it', () => {
  assert.deepEqual(valueTicks(0, 0, 4), [0, 0.25]);
  assert.ok(valueTicks(7, 7, 4).length >= 2);
});

test('time ticks are at full hours and at local midnights', () => {
  const from = Date.parse('2026-11-22T08:20:00Z');
  assert.deepEqual(
    timeTicks(from, from + 3 * 3_600_000, { count: 6, offsetMs: 0 }).map((at) =>
      new Date(at).toISOString().slice(11, 16),
    ),
    ['08:30', '09:00', '09:30', '10:00', '10:30', '11:00'],
  );
  const days = timeTicks(from, from + 5 * 86_400_000, { count: 6, offsetMs: 3_600_000 });
  assert.deepEqual(
    days.map((at) => new Date(at).toISOString().slice(11, 16)),
    Array.from({ length: 5 }, () => '23:00'),
  );
  assert.ok(timeTicks(from, from + 400 * 86_400_000, { count: 6, offsetMs: 0 }).length <= 6);
});
