import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SAID_MAX_CHARS, saidTiming } from './said-timing.ts';
import { emptyDraft, timingOf } from './schedule-draft.ts';
import { nextTimes } from './timetable.ts';
import { type Day, WORKDAYS } from './weekly.ts';

const daily = (dailyAt: string) => ({ kind: 'daily', dailyAt });
const every = (period: string) => ({ kind: 'every', every: period });
const on = (dailyAt: string, ...days: readonly Day[]) => ({ kind: 'weekly', days, dailyAt });

const SAID: readonly (readonly [string, object])[] = [
  ['7:30', daily('07:30')],
  ['at 7', daily('07:00')],
  [' 07.05 ', daily('07:05')],
  ['7 pm', daily('19:00')],
  ['12am', daily('00:00')],
  ['12:15 PM', daily('12:15')],
  ['noon', daily('12:00')],
  ['every day at midnight', daily('00:00')],
  ['Daily at 23:59', daily('23:59')],
  ['hourly', every('1h')],
  ['every hour', every('1h')],
  ['every 2 hours', every('2h')],
  ['every minute', every('1m')],
  ['every 10 min', every('10m')],
  ['every 10m', every('10m')],
  ['every 30 seconds', every('30s')],
  ['every weekday at 7', on('07:00', ...WORKDAYS)],
  ['weekdays at 7:30', on('07:30', ...WORKDAYS)],
  ['weekends at noon', on('12:00', 'SAT', 'SUN')],
  ['Mondays at 8:30', on('08:30', 'MON')],
  ['on Tuesday at 9', on('09:00', 'TUE')],
  ['every Friday, Monday and Wednesday at 6 pm', on('18:00', 'MON', 'WED', 'FRI')],
  ['Thursdays and Saturdays at 10', on('10:00', 'THU', 'SAT')],
];

test('a timing in words fills the form with values that the timetable accepts', () => {
  for (const [said, expected] of SAID) {
    const timing = saidTiming(said);
    assert.deepEqual(timing, expected, said);
    assert.ok(nextTimes(timingOf({ ...emptyDraft('ada', 'Europe/Zurich'), ...timing }), 0).ok, said);
  }
});

test('other words give null', () => {
  const others = [
    '',
    ' ',
    'monday and moonday at 7',
    'soon',
    '25:00',
    '7:60',
    '13 pm',
    '0 am',
    'every',
    'at',
    'every fortnight at 7',
    'moondays at 7',
    // Names that every object has.
    'constructor',
    'at constructor',
    'constructor at 7',
    '__proto__ at 7',
  ];
  for (const said of [...others, 'every 99999 hours', '7:30 or so', `at ${' '.repeat(SAID_MAX_CHARS)}7`.repeat(2)])
    assert.equal(saidTiming(said), null, said);
});
