import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FiringOutcome } from '@hamlet/contract';
import { OUTCOME_LABELS, policyLabels, stateOf, targetLabel } from './schedule-labels.ts';
import { firing, scheduleView } from './schedule-view.fixture.ts';
import { nextTimes, pastRows, timingLabel, zonesOf } from './timetable.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const iso = (atMs: number): string => new Date(atMs).toISOString();

test('the next five firings follow the calculation of the operator', () => {
  const daily = nextTimes({ dailyAt: '08:30', timeZone: 'Europe/Zurich' }, NOW);
  assert.ok(daily.ok);
  assert.deepEqual(daily.slots.map(iso).slice(0, 2), ['2026-11-24T07:30:00.000Z', '2026-11-25T07:30:00.000Z']);
  assert.equal(daily.slots.length, 5);
  const every = nextTimes({ every: '10s' }, NOW);
  assert.equal(every.ok && iso(every.slots[0] ?? 0), '2026-11-23T12:00:10.000Z');
});

test('an incomplete timing is reported as a problem instead of an exception', () => {
  for (const timing of [
    { every: '' },
    { every: '5' },
    { dailyAt: '25:00', timeZone: 'UTC' },
    { cron: '* *', timeZone: 'UTC' },
    { dailyAt: '09:00', timeZone: 'Europe' },
    { cron: '0 0 31 2 *', timeZone: 'UTC' },
  ]) {
    const next = nextTimes(timing, NOW);
    assert.ok(!next.ok && next.problem !== '', JSON.stringify(timing));
  }
});

test('times are in the zone of the schedule and of the viewer', () => {
  assert.deepEqual(
    zonesOf('Europe/Zurich', 'America/New_York').map(({ zone }) => zone),
    ['Europe/Zurich', 'America/New_York'],
  );
  assert.deepEqual(zonesOf(null, 'UTC'), [{ zone: 'UTC', word: 'UTC (yours)' }]);
});

test('slots without a firing are listed between those that fired', () => {
  const view = scheduleView({
    every: '1h',
    daily_at: null,
    time_zone: null,
    last_firings: [firing('2026-11-23T10:00:00Z'), firing('2026-11-23T06:00:00Z'), firing('2026-11-23T05:00:00Z')],
    status: { ...scheduleView().status, last_slot: '2026-11-23T11:00:00Z' },
  });
  const rows = pastRows(view).map((row) =>
    row.kind === 'fired'
      ? iso(row.slotMs).slice(11, 16)
      : `${row.count}: ${iso(row.fromMs).slice(11, 16)} to ${iso(row.untilMs).slice(11, 16)}`,
  );
  assert.deepEqual(rows, ['1: 11:00 to 11:00', '10:00', '3: 07:00 to 09:00', '06:00', '05:00']);
});

test('firings of an earlier timing leave no gaps', () => {
  const view = scheduleView({
    every: '1h',
    daily_at: null,
    time_zone: null,
    last_firings: [firing('2026-11-23T10:00:00Z'), firing('2026-11-23T06:30:00Z')],
  });
  assert.deepEqual(
    pastRows(view).map(({ kind }) => kind),
    ['fired', 'fired'],
  );
});

test('a schedule has labels for timing, target, state and policies', () => {
  assert.equal(timingLabel(scheduleView()), 'daily 08:30 Europe/Zurich');
  const cron = (fields: string) => timingLabel(scheduleView({ daily_at: null, cron: fields, time_zone: 'UTC' }));
  assert.equal(cron('30 7 * * MON-FRI'), 'weekdays 07:30 UTC');
  assert.equal(cron('5 12 * * SAT,SUN'), 'weekends 12:05 UTC');
  assert.equal(cron('30 8 * * MON,FRI'), 'Mon, Fri 08:30 UTC');
  assert.equal(cron('0 9 * * MON-WED'), 'Mon-Wed 09:00 UTC');
  assert.equal(cron('*/5 9 * * MON-WED'), '*/5 9 * * MON-WED UTC');
  const nameOf = (id: string) => (id === 'ada' ? 'Ada Lovelace' : id);
  assert.equal(targetLabel(scheduleView(), nameOf), 'Ada Lovelace');
  assert.equal(
    targetLabel(scheduleView({ agent_name: null, selector: { match_labels: { team: 'carriers' } } }), nameOf),
    'all with team=carriers',
  );
  assert.equal(
    policyLabels(scheduleView({ missed_runs: 'CatchUp', catch_up_limit: 3 }))[0],
    'The last 3 missed runs begin late.',
  );
  assert.deepEqual(
    [{}, { pipeline: 'nightly', mode: 'draft', tags: ['a', 'b'] }].map(
      (workflow) => policyLabels(scheduleView({ workflow }))[0],
    ),
    [
      'Each run carries out the workflow of its agent.',
      'Each run carries out the workflow of its agent (pipeline nightly; mode draft; tags a, b).',
    ],
  );
  const of = (reason: string): ReturnType<typeof stateOf> =>
    stateOf({
      suspend: false,
      status: {
        ...scheduleView().status,
        conditions: [
          {
            type: 'Active',
            status: 'False',
            reason,
            message: 'no Agent ada',
            last_transition_time: '2026-11-23T12:00:00Z',
          },
        ],
      },
    });
  assert.deepEqual(of('AgentNotFound'), {
    word: 'Agent not found',
    tone: 'bad',
    advice: 'No Agent ada. The named Agent does not exist: create it, or name another; firings are skipped meanwhile.',
  });
  assert.equal(stateOf({ suspend: true, status: scheduleView().status }).word, 'Suspended');
  assert.equal(stateOf(scheduleView()).word, 'New');
});

test('every outcome of a firing has its own label', () => {
  assert.deepEqual(Object.keys(OUTCOME_LABELS).toSorted(), [...FiringOutcome.options].toSorted());
  assert.equal(new Set(Object.values(OUTCOME_LABELS).map(({ word }) => word)).size, FiringOutcome.options.length);
});
