/** Plans and statuses for observations of a Schedule. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import type { ScheduleActivity } from '@hamlet/contract';
import { ScheduleSpec, type ScheduleReason, type ScheduleStatus } from '@hamlet/contract/kinds';
import { conditionOf } from '../agent/testing/sample-state.ts';
import { plan } from './plan.ts';
import { statusOf } from './status.ts';
import { type Observed, scheduleView, type ScheduleView } from './cached-schedule.ts';

const NOON = Date.parse('2026-11-22T12:00:00Z');
const METADATA = {
  name: 'tick',
  namespace: 'village',
  uid: 'u1',
  resourceVersion: '1',
  generation: 3,
  creationTimestamp: '2026-11-22T11:00:00Z',
};

const view = (spec: object, status: ScheduleStatus = {}, metadata: object = {}): ScheduleView =>
  scheduleView({
    metadata: { ...METADATA, ...metadata },
    spec: { agentName: 'ada', prompt: 'Walk.', every: '10s', ...spec },
    status,
  } as Parameters<typeof scheduleView>[0]);

const runs = (parts: Partial<ScheduleActivity> = {}): ScheduleActivity => ({
  schedule_uid: 'u1',
  active_runs: 0,
  last_run_id: null,
  last_run_at: null,
  last_slot: null,
  ...parts,
});

const observed = (schedule: ScheduleView, more: Partial<Observed> = {}): Observed => ({
  schedule,
  decided: undefined,
  activity: runs(),
  claimedMs: undefined,
  agents: ['ada'],
  apiReachable: true,
  ...more,
});
const until = (time: string): ScheduleStatus => ({ timing: 'every 10s', lastSlot: time, missed: 2 });

test('due slots fire; slots that an earlier leader decided stay decided', () => {
  const planned = plan(observed(view({}, until('2026-11-22T11:59:40Z'))), NOON + 5);
  assert.deepEqual(
    planned.fire.map(({ slotMs }) => (slotMs - NOON) / 1_000),
    [-10, 0],
  );
  assert.deepEqual([planned.giveUp, planned.lookAtMs, planned.decided?.missed], [undefined, NOON + 10_000, 2]);
});

test('slots that the api has claimed are decided, even if no status shows it', () => {
  const planned = plan(
    observed(view({}, until('2026-11-22T11:59:40Z')), { activity: runs({ active_runs: 1 }), claimedMs: NOON }),
    NOON + 5,
  );
  assert.deepEqual([planned.fire, planned.giveUp, planned.lookAtMs], [[], undefined, NOON + 10_000]);
});

test('the decisions of this leader take precedence over the status', () => {
  const decided = { timing: 'every 10s', suspended: false, untilMs: NOON, missed: 7 };
  const now = observed(view({}, until('2026-11-22T11:00:00Z')), { decided });
  assert.deepEqual(plan(now, NOON + 5), { decided, giveUp: undefined, fire: [], lookAtMs: NOON + 10_000 });
  const { lastSlot, missed, timing, nextRunAt, nextRuns } = statusOf(now, NOON + 5);
  assert.deepEqual(
    { lastSlot, missed, timing, nextRunAt, count: nextRuns?.length },
    { lastSlot: '2026-11-22T12:00:00Z', missed: 7, timing: 'every 10s', nextRunAt: '2026-11-22T12:00:10Z', count: 5 },
  );
});

test('no slot is decided while the api does not answer', () => {
  const planned = plan(observed(view({}, until('2026-11-22T10:00:00Z')), { apiReachable: false }), NOON);
  assert.deepEqual([planned.fire, planned.giveUp], [[], undefined]);
});

test('without an Agent, due slots are given up', () => {
  const planned = plan(observed(view({}, until('2026-11-22T11:59:50Z')), { agents: [] }), NOON + 5);
  assert.deepEqual([planned.fire, planned.giveUp], [[], { reason: 'NoAgent', count: 1, untilMs: NOON }]);
});

test('a new timing and the end of a suspension reset the slots', () => {
  const missing = { missedRuns: 'RunOnce' };
  assert.deepEqual(
    plan(observed(view({ ...missing, every: '20s' }, until('2026-11-22T08:00:00Z'))), NOON - 1).fire,
    [],
  );
  const suspended: ScheduleStatus = {
    ...until('2026-11-22T08:00:00Z'),
    conditions: [conditionOf('Suspended True Suspended')],
  };
  assert.deepEqual(plan(observed(view(missing, suspended)), NOON - 1).fire, []);
  assert.equal(plan(observed(view(missing, until('2026-11-22T08:00:00Z'))), NOON + 60_000).fire.length, 4);
});

test('a Schedule that is being deleted or has an invalid spec does nothing', () => {
  for (const schedule of [
    view({}, {}, { deletionTimestamp: '2026-11-22T11:59:00Z' }),
    view({ every: 'soon' }),
    view({ every: undefined, cron: '0 22-2 * * *', timeZone: 'UTC' }),
  ]) {
    assert.deepEqual(plan(observed(schedule), NOON), {
      decided: undefined,
      giveUp: undefined,
      fire: [],
      lookAtMs: undefined,
    });
  }
});

test('timers never wait longer than an hour', () => {
  assert.equal(
    plan(observed(view({ every: undefined, cron: '0 0 29 2 *', timeZone: 'UTC' })), NOON).lookAtMs,
    NOON + 3_600_000,
  );
});

test('every condition, with its reason, in each state', () => {
  const cases: readonly (readonly [Observed, string, ScheduleReason])[] = [
    [observed(view({})), 'True', 'Scheduled'],
    [observed(view({ suspend: true })), 'False', 'Suspended'],
    [observed(view({}), { agents: [] }), 'False', 'AgentNotFound'],
    [
      observed(view({ agentName: undefined, selector: { matchLabels: { team: 'a' } } }), { agents: [] }),
      'False',
      'NoAgentMatches',
    ],
    [observed(view({}), { apiReachable: false }), 'Unknown', 'ApiUnreachable'],
    [observed(view({ every: 'soon' })), 'False', 'InvalidSpec'],
    [observed(view({ every: undefined, cron: '0 0 30 2 *', timeZone: 'UTC' })), 'False', 'NeverFires'],
  ];
  for (const [state, status, reason] of cases) {
    const { conditions = [], observedGeneration } = statusOf(state, NOON);
    assert.deepEqual(pluck(conditions, 'type'), ['Accepted', 'Active', 'Suspended']);
    const active = conditions.find(({ type }) => type === 'Active');
    assert.deepEqual(
      [active?.status, active?.reason, active?.observedGeneration, observedGeneration],
      [status, reason, 3, 3],
    );
  }
  assert.match(
    statusOf(observed(view({ every: 'soon' })), NOON).conditions?.[0]?.message ?? '',
    /every: write a duration of at least one second/,
  );
});

test('a suspended Schedule lists no next firing; the time of a condition stays while its status stays', () => {
  const before = statusOf(observed(view({})), NOON);
  const after = statusOf(observed(view({ suspend: true }, before)), NOON + 60_000);
  assert.deepEqual([after.nextRuns, after.nextRunAt], [undefined, undefined]);
  assert.deepEqual(pluck(after.conditions ?? [], 'lastTransitionTime'), [
    '2026-11-22T12:00:00Z',
    '2026-11-22T12:01:00Z',
    '2026-11-22T12:01:00Z',
  ]);
});

test('the status shows the runs of the last report of the api, even while the api does not answer', () => {
  const said = statusOf(
    observed(view({}), {
      activity: runs({ active_runs: 2, last_run_id: 'r1', last_run_at: '2026-11-22T11:59:50.123Z' }),
    }),
    NOON,
  );
  assert.deepEqual([said.activeRuns, said.lastRunID, said.lastRunAt], [2, 'r1', '2026-11-22T11:59:50Z']);
  const away = statusOf(observed(view({}, said), { activity: undefined, apiReachable: false }), NOON);
  assert.deepEqual([away.activeRuns, away.lastRunID, away.lastRunAt], [2, 'r1', '2026-11-22T11:59:50Z']);
  assert.ok(ScheduleSpec.safeParse(view({}).spec).success);
});
