/**
 * No operator leads for 24 hours: each policy about missed runs takes effect in the table of firings, the status and
 * the Events.
 */
import assert from 'node:assert/strict';
import { after, before, test } from '../env/cluster-test.ts';
import type { ScheduleSpec } from '@hamlet/contract/kinds';
import { SimulatedVillage } from './simulated-village.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

let village: SimulatedVillage;
const keys = new Map<string, string>();
let firstHourMs = 0;
let returnMs = 0;

/** A slot that is later than this deadline is missed: the slot of the full hour was two minutes before the return. */
const SHORT = { startingDeadlineSeconds: 30 } as const;
const SPECS: Readonly<Record<string, Partial<ScheduleSpec>>> = {
  skip: { ...SHORT, every: '1h' },
  once: { ...SHORT, every: '1h', missedRuns: 'RunOnce' },
  'catch-up': { ...SHORT, every: '1h', missedRuns: 'CatchUp', catchUpLimit: 5 },
  'in-time': { every: '1h', missedRuns: 'RunOnce' },
  often: { every: '10s' },
  'by-the-clock': { ...SHORT, cron: '30 * * * *', timeZone: 'Asia/Kolkata', missedRuns: 'CatchUp', catchUpLimit: 100 },
  suspended: { every: '1h', missedRuns: 'CatchUp', suspend: true },
};

before(async () => {
  village = await SimulatedVillage.start();
  for (const [name, spec] of Object.entries(SPECS)) keys.set(name, await village.schedule(name, spec));
  // The hour may begin between the creation of the first and of the last.
  const createdMs = Math.max(
    ...(await Promise.all(
      [...keys.values()].map(async (key) => Date.parse((await village.stored(key)).metadata.creationTimestamp ?? '')),
    )),
  );
  firstHourMs = Math.ceil((createdMs + 1) / HOUR_MS) * HOUR_MS;
  await village.setTime(Math.max(createdMs + 1_000, firstHourMs - MINUTE_MS));
  await village.process();
});
// Undefined if the start has failed.
after(() => (village as SimulatedVillage | undefined)?.remove());

function keyOf(name: string): string {
  const key = keys.get(name);
  assert.ok(key !== undefined);
  return key;
}

/** Firings as hours since the first hour, marked if they replace a missed one. */
async function hoursOf(name: string): Promise<readonly string[]> {
  return (await village.firings(keyOf(name)))
    .filter(({ slotMs }) => slotMs >= firstHourMs)
    .map(({ slotMs, madeUp }) => `${(slotMs - firstHourMs) / HOUR_MS}${madeUp ? ' made up' : ''}`);
}

async function missedNow(): Promise<Readonly<Record<string, number>>> {
  const counts = await Promise.all(
    [...keys].map(async ([name, key]) => [name, (await village.stored(key)).status.missed ?? 0] as const),
  );
  return Object.fromEntries(counts);
}

test('each policy about missed runs takes effect after 24 hours without a leader', async () => {
  const before = await village.lead(0, 0);
  await village.run(firstHourMs + 2 * MINUTE_MS);
  before.done = true;
  const missedBefore = await missedNow();
  await village.setTime(village.nowMs + 24 * HOUR_MS);
  returnMs = village.nowMs;
  const back = await village.lead(0, 0);
  await village.run(returnMs + MINUTE_MS);
  const missed = await missedNow();
  const missedSince = (name: string): number => (missed[name] ?? 0) - (missedBefore[name] ?? 0);

  assert.deepEqual([await hoursOf('skip'), missedSince('skip')], [['0'], 24], 'Skip makes up for none');
  assert.deepEqual(
    [await hoursOf('once'), missedSince('once')],
    [['0', '24 made up'], 23],
    'RunOnce fires once for all, the newest',
  );
  assert.deepEqual(
    [await hoursOf('catch-up'), missedSince('catch-up')],
    [['0', '20 made up', '21 made up', '22 made up', '23 made up', '24 made up'], 19],
    'CatchUp fires the newest, as many as its limit',
  );
  assert.deepEqual(
    [await hoursOf('in-time'), missedSince('in-time')],
    [['0', '24'], 23],
    'the slot within its deadline is the one that RunOnce fires',
  );
  assert.deepEqual(
    [await hoursOf('by-the-clock'), missedSince('by-the-clock')],
    [['0', ...Array.from({ length: 24 }, (_, index) => `${index + 1} made up`)], 0],
    'all of it, by the clock of a half-hour zone',
  );
  assert.deepEqual([await hoursOf('suspended'), missed['suspended']], [[], 0]);
  assert.equal(missedSince('often'), 24 * 360 - 4);
  const reported = back.events
    .filter(({ reason }) => reason === 'FiringsMissed')
    .map(({ target, message }) => `${target.name}: ${message.replace(/until \S+/, 'until then')}`);
  assert.deepEqual(reported.toSorted(), [
    'catch-up: 19 firings until then were missed (missedRuns is CatchUp)',
    'in-time: 23 firings until then were missed (missedRuns is RunOnce)',
    'often: 8636 firings until then were missed (missedRuns is Skip)',
    'once: 23 firings until then were missed (missedRuns is RunOnce)',
    'skip: 24 firings until then were missed (missedRuns is Skip)',
  ]);
  assert.equal(back.events.filter(({ reason }) => reason === 'FiringMadeUp').length, 1 + 5 + 24);
});

test('a Schedule of ten seconds fires slots that are at most thirty seconds late, and then continues', async () => {
  const around = (await village.firings(keyOf('often'))).filter(
    ({ slotMs }) => slotMs > returnMs - 24 * HOUR_MS && slotMs < returnMs + 20_000,
  );
  assert.deepEqual(
    around.map(({ slotMs, madeUp }) => [(slotMs - returnMs) / 1_000, madeUp]),
    [
      [-30, false],
      [-20, false],
      [-10, false],
      [0, false],
      [10, false],
    ],
  );
});
