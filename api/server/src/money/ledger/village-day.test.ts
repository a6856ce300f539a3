import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextDayAt, villageDay } from './village-day.ts';

test('a day begins at midnight in the village, even on days of a clock change', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['2026-11-22T10:00:00Z', 'UTC', '2026-11-23T00:00:00.000Z'],
    ['2026-11-22T23:59:59Z', 'UTC', '2026-11-23T00:00:00.000Z'],
    ['2026-11-22T23:30:00Z', 'Europe/Berlin', '2026-11-23T23:00:00.000Z'],
    ['2026-10-24T22:30:00Z', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
    ['2026-03-28T23:30:00Z', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
    ['2026-11-22T10:00:00Z', 'Asia/Kolkata', '2026-11-22T18:30:00.000Z'],
  ];
  for (const [now, zone, next] of cases) {
    assert.equal(nextDayAt(new Date(now), zone).toISOString(), next, `${now} ${zone}`);
    assert.notEqual(villageDay(new Date(next), zone), villageDay(new Date(now), zone));
  }
});
