import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateTime, lengthLabel, timeAgo, timeAhead } from './time-labels.ts';

const NOW = Date.UTC(2026, 10, 23, 7, 30);
const S = 1000;

test('time labels show elapsed time, remaining time and durations', () => {
  assert.deepEqual(
    [5, 300, 7200, 86_400, 300_000].map((seconds) => timeAgo(new Date(NOW - seconds * S).toISOString(), NOW)),
    ['just now', '5 min ago', '2 h ago', 'yesterday', '3 days ago'],
  );
  assert.deepEqual(
    [0, 8, 300, 7200, 200_000].map((seconds) => timeAhead(NOW + seconds * S, NOW)),
    ['now', 'in 8 s', 'in 5 min', 'in 2 h', 'in 2 days'],
  );
  assert.deepEqual([420, 12_000, 200_000, 7_500_000, 273_600_000, 3_600_000].map(lengthLabel), [
    '0.4 s',
    '12 s',
    '3 min 20 s',
    '2 h 5 min',
    '3 days 4 h',
    '1 h',
  ]);
  assert.equal(timeAgo('soon', NOW), '');
});

test('an instant is shown in the requested time zone', () => {
  assert.equal(dateTime(NOW, 'Europe/Zurich', NOW), 'Mon 23 Nov, 08:30');
  assert.equal(dateTime(NOW, 'America/New_York', NOW), 'Mon 23 Nov, 02:30');
  assert.equal(dateTime(NOW + 10 * S, 'UTC', NOW), 'Mon 23 Nov, 07:30:10');
  assert.equal(
    dateTime(NOW, 'UTC', NOW + 366 * 86_400 * S),
    'Mon, 23 Nov 2026, 07:30',
    'the year is shown if it is not the current one',
  );
  assert.match(
    dateTime(NOW, undefined, NOW),
    /^\w{3} \d+ Nov, \d\d:\d\d (UTC|GMT|[A-Z]{3,4}|GMT[+-]\d.*)$/,
    'times in the zone of the device name it',
  );
});
