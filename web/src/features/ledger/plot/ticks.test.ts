import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeTicks, valueTicks } from './ticks.ts';

test('values are ticked in round steps that hold them all', () => {
  assert.deepEqual(valueTicks(0, 10, 4), [0, 2.5, 5, 7.5, 10]);
  assert.deepEqual(valueTicks(0.2, 0.9, 4), [0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(valueTicks(0, 1234, 4), [0, 500, 1000, 1500]);
  assert.deepEqual(valueTicks(-3, 4, 4), [-4, -2, 0, 2, 4]);
});

test('one value alone still has a scale around it', () => {
  assert.deepEqual(valueTicks(0, 0, 4), [0, 0.25]);
  assert.ok(valueTicks(7, 7, 4).length >= 2);
});

test('times are ticked at full hours and at midnights of the place', () => {
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
