/** Due slots, missed slots and those that fire late, after interruptions of every length. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawBelow } from '../bytes/prng.ts';
import { decidedUntil, duePlan, type DuePlan, type MissedRunsPolicy, type Past } from './due-plan.ts';
import { slotsBetween } from './slots.ts';
import { readTiming, type Timetable, type Timing } from './timetable.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const NOON = Date.parse('2026-11-22T12:00:00Z');

function timetable(timing: Timing): Timetable {
  const reading = readTiming(timing);
  assert.ok(reading.ok);
  return reading.timetable;
}

const POLICY: MissedRunsPolicy = { missedRuns: 'Skip', catchUpLimit: 10, startingDeadlineSeconds: 300, suspend: false };
const TEN_SECONDS = timetable({ every: '10s' });
const HOURLY = timetable({ every: '1h' });

/** The plan at the end of a time without an earlier plan. */
const due = (
  table: Timetable,
  [decidedMs, nowMs]: readonly [number, number],
  policy: Partial<MissedRunsPolicy> = {},
): DuePlan => duePlan({ timetable: table, policy: { ...POLICY, ...policy }, decidedMs, nowMs });
/** Slots as seconds or hours before `nowMs`. */
const ages = ({ fire }: DuePlan, nowMs: number, unitMs: number): readonly string[] =>
  fire.map(({ slotMs, madeUp }) => `${(nowMs - slotMs) / unitMs}${madeUp ? ' made up' : ''}`);

test('a slot fires once at its time, and the next plan is at the next slot', () => {
  assert.deepEqual(due(TEN_SECONDS, [NOON - 10_000, NOON - 1]), { fire: [], missed: undefined, lookAtMs: NOON });
  assert.deepEqual(due(TEN_SECONDS, [NOON - 10_000, NOON + 3]), {
    fire: [{ slotMs: NOON, madeUp: false }],
    missed: undefined,
    lookAtMs: NOON + 10_000,
  });
  assert.deepEqual(due(TEN_SECONDS, [NOON, NOON + 3]), { fire: [], missed: undefined, lookAtMs: NOON + 10_000 });
});

test('an interruption of thirty seconds loses no slot under any policy', () => {
  for (const missedRuns of ['Skip', 'RunOnce', 'CatchUp'] as const) {
    const plan = due(TEN_SECONDS, [NOON - 40_000, NOON], { missedRuns });
    assert.deepEqual([ages(plan, NOON, 1_000), plan.missed], [['30', '20', '10', '0'], undefined]);
  }
});

test('the newest slot fires until its deadline', () => {
  const late = NOON + 299_000;
  assert.deepEqual(ages(due(HOURLY, [NOON - 2 * HOUR_MS, late]), late, 1_000), ['299']);
  assert.deepEqual(due(HOURLY, [NOON - HOUR_MS, NOON + 301_000]).fire, []);
  assert.deepEqual(
    ages(due(TEN_SECONDS, [NOON - 60_000, NOON], { startingDeadlineSeconds: 10 }), NOON, 1_000),
    ['10', '0'],
    'a shorter deadline is respected',
  );
});

test('after 24 hours without a plan, Skip fires no missed slot', () => {
  const now = NOON + 20 * 60_000;
  const plan = due(HOURLY, [NOON - DAY_MS, now]);
  assert.deepEqual([plan.fire, plan.missed, plan.lookAtMs], [[], { count: 24, untilMs: NOON }, NOON + HOUR_MS]);
});

test('after 24 hours without a plan, RunOnce fires the newest missed slot', () => {
  const now = NOON + 20 * 60_000;
  const plan = due(HOURLY, [NOON - DAY_MS, now], { missedRuns: 'RunOnce' });
  assert.deepEqual(
    [plan.fire, plan.missed],
    [[{ slotMs: NOON, madeUp: true }], { count: 23, untilMs: NOON - HOUR_MS }],
  );
  const inTime = due(HOURLY, [NOON - DAY_MS, NOON + 60_000], { missedRuns: 'RunOnce' });
  assert.deepEqual(
    [ages(inTime, NOON, HOUR_MS), inTime.missed?.count],
    [['0'], 23],
    'with RunOnce, a slot that fires on time replaces the missed ones',
  );
});

test('after 24 hours without a plan, CatchUp fires the newest missed slots up to its limit, oldest first', () => {
  const now = NOON + 20 * 60_000;
  const plan = due(HOURLY, [NOON - DAY_MS, now], { missedRuns: 'CatchUp', catchUpLimit: 3 });
  assert.deepEqual(
    [ages(plan, NOON, HOUR_MS), plan.missed],
    [['2 made up', '1 made up', '0 made up'], { count: 21, untilMs: NOON - 3 * HOUR_MS }],
  );
  const inTime = due(HOURLY, [NOON - DAY_MS, NOON + 60_000], { missedRuns: 'CatchUp', catchUpLimit: 3 });
  assert.deepEqual(
    [ages(inTime, NOON, HOUR_MS), inTime.missed?.count],
    [['3 made up', '2 made up', '1 made up', '0'], 20],
  );
  const few = due(HOURLY, [NOON - 2 * HOUR_MS, now], { missedRuns: 'CatchUp' });
  assert.deepEqual([ages(few, NOON, HOUR_MS), few.missed], [['1 made up', '0 made up'], undefined]);
});

test('every interruption, policy and timing: each slot is fired or counted as missed, exactly once', () => {
  const tables = [
    TEN_SECONDS,
    HOURLY,
    timetable({ every: '7s' }),
    timetable({ cron: '*/5 * * * *', timeZone: 'Asia/Kolkata' }),
    timetable({ dailyAt: '02:30', timeZone: 'Europe/Zurich' }),
  ];
  const policies = ['Skip', 'RunOnce', 'CatchUp'] as const;
  for (let seed = 0; seed < 500; seed += 1) {
    const draw = (bound: number, salt: number): number => drawBelow(bound, 7, seed, salt);
    const table = tables[draw(tables.length, 1)] ?? TEN_SECONDS;
    const policy = {
      ...POLICY,
      missedRuns: policies[draw(3, 2)] ?? 'Skip',
      catchUpLimit: 1 + draw(20, 3),
      startingDeadlineSeconds: 1 + draw(600, 4),
    };
    const beginMs = NOON + draw(DAY_MS, 5);
    let [decidedMs, nowMs, missed] = [beginMs, beginMs, 0];
    const fired: number[] = [];
    for (let look = 0; look < 12; look += 1) {
      nowMs += draw(4, 10 + look) === 0 ? draw(2 * DAY_MS, 30 + look) : draw(60_000, 50 + look);
      const plan = duePlan({ timetable: table, policy, decidedMs, nowMs });
      if (policy.missedRuns !== 'CatchUp')
        assert.ok(
          !plan.fire.some(({ madeUp }) => madeUp) || (policy.missedRuns === 'RunOnce' && plan.fire.length === 1),
        );
      assert.ok(plan.fire.filter(({ madeUp }) => madeUp).length <= policy.catchUpLimit);
      missed += plan.missed?.count ?? 0;
      // After a crash between two firings, the next plan covers the rest.
      const done = draw(5, 70 + look) === 0 ? plan.fire.slice(0, draw(plan.fire.length + 1, 90 + look)) : plan.fire;
      fired.push(...done.map(({ slotMs }) => slotMs));
      decidedMs = Math.max(decidedMs, plan.missed?.untilMs ?? 0, done.at(-1)?.slotMs ?? 0);
    }
    const { fire, missed: last } = duePlan({ timetable: table, policy, decidedMs, nowMs });
    fired.push(...fire.map(({ slotMs }) => slotMs));
    missed += last?.count ?? 0;
    const all = slotsBetween(table, { afterMs: beginMs, untilMs: nowMs }, 1_000_000);
    assert.deepEqual(
      fired,
      [...new Set(fired)].toSorted((a, b) => a - b),
      `seed ${seed}: in order, none twice`,
    );
    assert.equal(fired.length + missed, all.length, `seed ${seed}: ${policy.missedRuns}`);
    assert.ok(
      fired.every((slot) => all.includes(slot)),
      `seed ${seed}: slots only`,
    );
  }
});

test('a suspended Schedule has no due slots, and its slots meanwhile are not missed', () => {
  assert.deepEqual(due(HOURLY, [NOON - DAY_MS, NOON], { suspend: true }), {
    fire: [],
    missed: undefined,
    lookAtMs: undefined,
  });
  const past: Past = { timing: 'every 1h', suspended: true, lastSlotMs: NOON - DAY_MS, createdMs: 0 };
  assert.equal(decidedUntil(past, { timing: 'every 1h', nowMs: NOON }), NOON);
  assert.equal(decidedUntil({ ...past, suspended: false }, { timing: 'every 1h', nowMs: NOON }), NOON - DAY_MS);
});

test('slots count from the creation of a Schedule, and again from each change of its timing', () => {
  const fresh: Past = { timing: undefined, suspended: false, lastSlotMs: undefined, createdMs: NOON - 5_000 };
  assert.equal(decidedUntil(fresh, { timing: 'every 10s', nowMs: NOON }), NOON - 5_000);
  const known: Past = { timing: 'daily 11:00 UTC', suspended: false, lastSlotMs: NOON - 25 * HOUR_MS, createdMs: 0 };
  const decidedMs = decidedUntil(known, { timing: 'daily 09:30 UTC', nowMs: NOON });
  const plan = duePlan({
    timetable: timetable({ dailyAt: '09:30', timeZone: 'UTC' }),
    policy: { ...POLICY, missedRuns: 'RunOnce' },
    decidedMs,
    nowMs: NOON,
  });
  assert.deepEqual([plan.fire, plan.missed], [[], undefined], "today's 09:30 was never due under the new timing");
});

test('a clock that is set back fires no slot twice', () => {
  const plan = due(TEN_SECONDS, [NOON, NOON - 25_000]);
  assert.deepEqual([plan.fire, plan.missed, plan.lookAtMs], [[], undefined, NOON + 10_000]);
});
