import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../time/clock.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { drain } from './service.ts';
import { LoopWatch } from './loop-watch.ts';

/** A clock whose timers fire late, by the milliseconds that `late` returns. */
function lateClock(clock: FakeClock, late: () => number): Clock {
  return { now: () => clock.now(), after: (delayMs, action) => clock.after(delayMs + late(), action) };
}

test('one long pause is not reported, but a loop that is always late is', () => {
  const clock = new FakeClock();
  let lateMs = 0;
  const watch = new LoopWatch(
    2_000,
    lateClock(clock, () => lateMs),
  );
  watch.start();
  watch.start();
  clock.pass(10_000);
  lateMs = 60_000;
  clock.pass(61_000);
  lateMs = 0;
  clock.pass(10_000);
  assert.deepEqual([watch.latenessMs, watch.problem], [0, undefined]);
  lateMs = 3_000;
  clock.pass(30 * 4_000);
  assert.deepEqual([watch.latenessMs, watch.problem], [3_000, 'the event loop is 3000 ms late']);
  watch.stop();
});

test('the lateness is the median, independent of the order of samples', () => {
  const clock = new FakeClock();
  const late = [5_000, 0, 100];
  let ticks = 0;
  const watch = new LoopWatch(
    2_000,
    lateClock(clock, () => late[ticks++] ?? 0),
  );
  watch.start();
  for (const lateMs of late) clock.pass(1_000 + lateMs);
  assert.equal(watch.latenessMs, 100);
  watch.stop();
});

test('drain steps run in order; a step that hangs or fails is reported, and the next one still runs', async () => {
  const ran: string[] = [];
  const reported: string[] = [];
  const step = (
    name: string,
    run: () => Promise<unknown>,
  ): { name: string; run: () => Promise<unknown>; withinMs: number } => ({
    name,
    withinMs: 50,
    run: () => (ran.push(name), run()),
  });
  await drain(
    [
      step('work', () => new Promise(() => undefined)),
      step('close', () => Promise.reject(new Error('broken'))),
      step('lease', () => Promise.resolve()),
    ],
    (error) => reported.push(String(error)),
  );
  assert.deepEqual(
    [ran, reported],
    [
      ['work', 'close', 'lease'],
      ['Error: work: did not end within 50 ms', 'Error: broken'],
    ],
  );
});
