/** Firing times compared with a slow reference that reads a clock every minute, and with calendars. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cases } from '@hamlet/test/env/seeded';
import { drawBelow } from '../bytes/prng.ts';
import { civilDay, DAY_MS, dayNumberOf, utcText } from './civil-day.ts';
import { countSlots, newestSlotsBetween, nextSlots, slotAtOrBefore, slotsBetween } from './slots.ts';
import { firingsByWalking } from './testing/minute-scan.ts';
import { describeTiming, readTiming, type Timetable, type Timing } from './timetable.ts';

const CASES = cases(100, 4_000);
const SEED = 20_261_122;

const ZONES = [
  'UTC',
  'Europe/Zurich',
  'Europe/Dublin',
  'Europe/London',
  'America/New_York',
  'America/St_Johns',
  'America/Havana',
  'America/Nuuk',
  'America/Santiago',
  'America/Sao_Paulo',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Tehran',
  'Antarctica/Troll',
  'Australia/Lord_Howe',
  'Australia/Adelaide',
  'Pacific/Chatham',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'Etc/GMT+12',
];

function timetable(timing: Timing): Timetable {
  const reading = readTiming(timing);
  assert.ok(reading.ok, reading.ok ? '' : reading.problem);
  return reading.timetable;
}

const cron = (fields: string, timeZone = 'UTC'): Timetable => timetable({ cron: fields, timeZone });
const daily = (dailyAt: string, timeZone: string): Timetable => timetable({ dailyAt, timeZone });
const at = (time: string): number => Date.parse(time);
const texts = (slots: readonly number[]): readonly string[] =>
  slots.map((slot) => new Date(slot).toISOString().replace(':00.000Z', 'Z'));
/** Asserts the next slots after a time; `none` if there are none. */
function fires(table: Timetable, after: string, expected: string): void {
  const slots = texts(nextSlots(table, at(after), expected.split(' ').length));
  assert.equal(slots.join(' ') || 'none', expected);
}

test('day numbers and dates convert both ways over 400 years', () => {
  for (let day = -80_000; day < 80_000; day += 1) {
    const { year, month, dayOfMonth, dayOfWeek } = civilDay(day);
    const date = new Date(day * DAY_MS);
    assert.deepEqual(
      [year, month, dayOfMonth, dayOfWeek],
      [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCDay()],
    );
    assert.equal(dayNumberOf({ year, month, dayOfMonth }), day);
  }
});

/** Cron fields of every form, drawn by `keys`. */
function drawCron(...keys: readonly number[]): string {
  const draw = (bound: number, salt: number): number => drawBelow(bound, SEED, ...keys, salt);
  const pick = (salt: number, choices: readonly string[]): string => choices[draw(choices.length, salt)] ?? '*';
  const minute = pick(1, [
    '*',
    '*/15',
    '*/7',
    '0',
    '30',
    String(draw(60, 11)),
    `${draw(30, 12)}-${30 + draw(30, 13)}`,
    '5/20',
    '15,45',
    `${draw(60, 14)},${draw(60, 15)}`,
  ]);
  const hour = pick(2, [
    '*',
    '*/2',
    '*/6',
    '0',
    '1',
    '2',
    '3',
    '23',
    '0-3',
    '1,2',
    '22-23',
    '2,3',
    String(draw(24, 21)),
    '1/5',
    '9-17',
  ]);
  const dayOfMonth = pick(3, ['*', '*', '*', '*/2', '1', '29-31', '15,31', String(1 + draw(31, 31))]);
  const month = pick(4, ['*', '*', '*', '*', 'MAR,OCT,NOV,APR', 'JAN-MAR', '*/3', '9-12']);
  const dayOfWeek = pick(5, ['*', '*', '*', 'SUN', 'MON-FRI', 'FRI-SUN', '7', '*/2', '0,6', 'SAT', '5-7']);
  return [minute, hour, dayOfMonth, month, dayOfWeek].join(' ');
}

const formats = new Map(
  ZONES.map((zone) => [zone, new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })]),
);
const offsetText = (zone: string, instant: number): string =>
  formats
    .get(zone)
    ?.format(instant)
    .replace(/^.*GMT/, '') ?? '';

/** A day of 2010 to 2035 in the zone: in two of three cases a day on which the clocks change, if the year drawn has one. */
function drawDay(zone: string, index: number): number {
  const newYear = Date.UTC(2010 + drawBelow(26, SEED, index, 6), 0, 1);
  const days = Array.from({ length: 365 }, (_, day) => newYear + day * DAY_MS);
  const changes = days.filter((day) => offsetText(zone, day) !== offsetText(zone, day + DAY_MS));
  const change = changes[drawBelow(Math.max(1, changes.length), SEED, index, 7)];
  if (change !== undefined && drawBelow(3, SEED, index, 8) > 0) return change;
  // Otherwise any day, but New Year's Eve in one of four cases.
  return drawBelow(4, SEED, index, 9) === 0 ? newYear - DAY_MS : newYear + drawBelow(365, SEED, index, 10) * DAY_MS;
}

test(`${CASES} random jobs, zones and days: every slot function agrees with a scan minute by minute`, () => {
  for (let index = 0; index < CASES; index += 1) {
    const zone = ZONES[drawBelow(ZONES.length, SEED, index)] ?? 'UTC';
    const fields = drawCron(index);
    const startMs = drawDay(zone, index) + drawBelow(1_440, SEED, index, 16) * 60_000 - DAY_MS;
    const stretch = { afterMs: startMs, untilMs: startMs + 2 * DAY_MS };
    const expected = firingsByWalking(fields, zone, stretch);
    const table = cron(fields, zone);
    const label = `${fields} ${zone} from ${new Date(startMs).toISOString()} (case ${index})`;
    assert.deepEqual(texts(slotsBetween(table, stretch, 10_000)), texts(expected), label);
    assert.equal(countSlots(table, stretch), expected.length, label);
    assert.deepEqual(newestSlotsBetween(table, stretch, 7), expected.slice(-7), label);
    assert.deepEqual(slotsBetween(table, stretch, 3), expected.slice(0, 3), label);
    if (expected.length > 0) {
      assert.equal(slotAtOrBefore(table, stretch.untilMs), expected.at(-1), label);
      assert.equal(nextSlots(table, startMs, 1)[0], expected[0], label);
    }
  }
});

test('a job at 02:30 fires once a day in spring (at the leap) and in autumn (the first time)', () => {
  const zurich = daily('02:30', 'Europe/Zurich');
  fires(zurich, '2026-03-27T12:00:00Z', '2026-03-28T01:30Z 2026-03-29T01:00Z 2026-03-30T00:30Z');
  fires(zurich, '2026-10-23T12:00:00Z', '2026-10-24T00:30Z 2026-10-25T00:30Z 2026-10-26T01:30Z 2026-10-27T01:30Z');
  const newYork = daily('02:30', 'America/New_York');
  fires(newYork, '2026-03-07T12:00:00Z', '2026-03-08T07:00Z 2026-03-09T06:30Z');
  fires(daily('01:30', 'America/New_York'), '2026-10-31T12:00:00Z', '2026-11-01T05:30Z 2026-11-02T06:30Z');
});

test('all skipped times of a leap fire once, together with the first time after it', () => {
  fires(
    cron('15,45 2,3 29 3 *', 'Europe/Zurich'),
    '2026-03-01T00:00:00Z',
    '2026-03-29T01:00Z 2026-03-29T01:15Z 2026-03-29T01:45Z',
  );
  fires(cron('0 2,3 29 3 *', 'Europe/Zurich'), '2026-03-01T00:00:00Z', '2026-03-29T01:00Z');
});

test('a job with * in the hour or the minute follows the local clock', () => {
  fires(
    cron('0 * * * *', 'Europe/Zurich'),
    '2026-03-28T23:30:00Z',
    '2026-03-29T00:00Z 2026-03-29T01:00Z 2026-03-29T02:00Z',
  );
  fires(
    cron('30 * * * *', 'Europe/Zurich'),
    '2026-10-24T23:40:00Z',
    '2026-10-25T00:30Z 2026-10-25T01:30Z 2026-10-25T02:30Z',
  );
  fires(cron('*/30 2 * * *', 'Europe/Zurich'), '2026-03-28T12:00:00Z', '2026-03-30T00:00Z');
});

test('half-hour zones, half-hour summer times, two-hour summer times, and a day that did not exist', () => {
  fires(daily('09:00', 'Asia/Kolkata'), '2026-01-01T00:00:00Z', '2026-01-01T03:30Z');
  fires(daily('00:00', 'Asia/Kathmandu'), '2026-01-01T00:00:00Z', '2026-01-01T18:15Z');
  // In Lord Howe the clocks go from 02:00 to 02:30 on 4 October 2026, and from 02:00 back to 01:30 on 5 April.
  fires(daily('02:10', 'Australia/Lord_Howe'), '2026-10-03T00:00:00Z', '2026-10-03T15:30Z 2026-10-04T15:10Z');
  fires(daily('01:45', 'Australia/Lord_Howe'), '2026-04-04T00:00:00Z', '2026-04-04T14:45Z 2026-04-05T15:15Z');
  // In Troll the clocks go from 01:00 to 03:00.
  fires(daily('01:30', 'Antarctica/Troll'), '2026-03-28T12:00:00Z', '2026-03-29T01:00Z 2026-03-29T23:30Z');
  // Apia skipped 30 December 2011.
  fires(daily('09:00', 'Pacific/Apia'), '2011-12-29T00:00:00Z', '2011-12-29T19:00Z 2011-12-30T19:00Z');
});

test('the clocks leap at midnight, and at the end of the year', () => {
  fires(daily('00:00', 'America/Santiago'), '2026-09-05T12:00:00Z', '2026-09-06T04:00Z 2026-09-07T03:00Z');
  fires(daily('23:59', 'Pacific/Kiritimati'), '2026-12-31T00:00:00Z', '2026-12-31T09:59Z 2027-01-01T09:59Z');
  fires(cron('0 0 1 1 *', 'Pacific/Chatham'), '2026-12-30T00:00:00Z', '2026-12-31T10:15Z 2027-12-31T10:15Z');
});

test('day of month and day of week: one match is enough if both are given, as in Vixie cron', () => {
  fires(
    cron('0 12 13 * FRI'),
    '2026-11-01T00:00:00Z',
    '2026-11-06T12:00Z 2026-11-13T12:00Z 2026-11-20T12:00Z 2026-11-27T12:00Z 2026-12-04T12:00Z',
  );
  // A field that begins with * restricts the other.
  fires(cron('0 12 */2 * FRI'), '2026-11-01T00:00:00Z', '2026-11-13T12:00Z 2026-11-27T12:00Z');
});

test('rare dates fire, and impossible dates never do', () => {
  fires(cron('0 0 29 2 *'), '2026-11-22T00:00:00Z', '2028-02-29T00:00Z 2032-02-29T00:00Z');
  fires(cron('0 0 29 2 */7'), '2089-01-01T00:00:00Z', '2128-02-29T00:00Z');
  fires(cron('0 0 30 2 *'), '2026-11-22T00:00:00Z', 'none');
  assert.equal(slotAtOrBefore(cron('0 0 30 2 *'), 0), undefined);
});

test('slots of `every` are multiples of the period in Unix time', () => {
  const table = timetable({ every: '10s' });
  assert.deepEqual(nextSlots(table, 25_001, 2), [30_000, 40_000]);
  assert.deepEqual(nextSlots(table, 30_000, 1), [40_000]);
  assert.deepEqual(slotsBetween(table, { afterMs: 10_000, untilMs: 40_000 }, 2), [20_000, 30_000]);
  assert.deepEqual(newestSlotsBetween(table, { afterMs: 10_000, untilMs: 40_000 }, 2), [30_000, 40_000]);
  assert.equal(countSlots(table, { afterMs: 10_000, untilMs: 40_000 }), 3);
  assert.equal(
    slotAtOrBefore(timetable({ every: '1h30m' }), at('2026-11-22T10:00:00Z')),
    Math.floor(at('2026-11-22T10:00:00Z') / 5_400_000) * 5_400_000,
  );
});

test('the message about an invalid timing says the fix', () => {
  const problem = (timing: Timing): string => {
    const reading = readTiming(timing);
    return reading.ok ? 'taken' : reading.problem;
  };
  assert.equal(
    problem({ cron: '0 22-2 * * *', timeZone: 'UTC' }),
    'cron: hour: "22-2" runs backwards: write the smaller value first, or two ranges with a comma between',
  );
  assert.match(
    problem({ cron: '0 0 0 * *', timeZone: 'UTC' }),
    /day of month: write a number from 1 to 31 instead of "0"/,
  );
  assert.match(
    problem({ cron: '0 0 * FOO *', timeZone: 'UTC' }),
    /month: write a number from 1 to 12 or a name such as FEB instead of "FOO"/,
  );
  assert.match(problem({ cron: '*/0 * * * *', timeZone: 'UTC' }), /step of at least 1/);
  assert.match(problem({ cron: '* * * *', timeZone: 'UTC' }), /write five fields .* instead of 4/);
  assert.equal(
    problem({ dailyAt: '09:00', timeZone: 'Europe/Zurick' }),
    'timeZone: "Europe/Zurick" is unknown here: write an IANA name such as Europe/Zurich',
  );
  assert.equal(problem({ cron: '0 0 * * FRI-SUN', timeZone: 'UTC' }), 'taken');
});

test('a timing is described in one line', () => {
  assert.equal(describeTiming({ every: '10s' }), 'every 10s');
  assert.equal(describeTiming({ cron: '0 9 * * MON-FRI', timeZone: 'Europe/Zurich' }), '0 9 * * MON-FRI Europe/Zurich');
  assert.equal(describeTiming({ dailyAt: '08:30', timeZone: 'UTC' }), 'daily 08:30 UTC');
});

test('an instant is formatted to the second', () => {
  for (let index = 0; index < 2_000; index += 1) {
    const instant = drawBelow(2_000_000_000, SEED, index, 20) * 1_000 + drawBelow(1_000, SEED, index, 21);
    assert.equal(utcText(instant), new Date(instant).toISOString().replace(/\.\d+Z$/, 'Z'));
  }
});
