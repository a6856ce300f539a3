import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WEEK, weeklyCron, weeklyIn, WORKDAYS } from './weekly.ts';

test('days and a time become cron fields, and these become the same days and time', () => {
  const cases = [
    [WORKDAYS, '07:30', '30 7 * * MON-FRI'],
    [['SAT', 'SUN'], '12:00', '0 12 * * SAT,SUN'],
    [['WED'], '00:05', '5 0 * * WED'],
    [WEEK, '23:59', '59 23 * * MON,TUE,WED,THU,FRI,SAT,SUN'],
  ] as const;
  for (const [days, dailyAt, cron] of cases) {
    assert.equal(weeklyCron(days, dailyAt), cron);
    assert.deepEqual(weeklyIn(cron), { days, dailyAt });
  }
  assert.equal(weeklyCron(['SUN', 'MON', 'MON'], ' 7:30 '), '30 7 * * MON,SUN', 'in the order of the week, each once');
});

test('other cron fields are not read as days, so an edit of another field leaves them unchanged', () => {
  for (const cron of [
    '0 9 * * MON-WED',
    '0 9 * * SUN,MON',
    '00 9 * * MON',
    '*/5 9 * * MON',
    '0 9 1 * MON',
    '0 9 * * 1',
  ])
    assert.equal(weeklyIn(cron), null, cron);
});

test('without a day or a valid time, cron fields are null', () => {
  assert.deepEqual([weeklyCron([], '07:30'), weeklyCron(['MON'], '25:00')], [null, null]);
});
