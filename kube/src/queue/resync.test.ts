import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../testing/fake-clock.ts';
import { Resync } from './resync.ts';
import { WorkQueue } from './work-queue.ts';

test('a resync spreads the keys over half an interval, around the end of each interval', async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue(clock);
  const draws: number[] = [];
  const resync = new Resync({
    queue,
    keys: () => {
      draws.push(0, 0.5, 0.999);
      return ['early', 'middle', 'late'];
    },
    everyMs: 1_000,
    clock,
    random: () => draws.shift() ?? 0,
  });
  resync.start();
  const taken: string[] = [];
  for (let nowMs = 1; nowMs <= 2_400; nowMs += 1) {
    clock.pass(1);
    while (queue.depth > 0) {
      const key = (await queue.take()) ?? '';
      taken.push(`${key} ${nowMs}`);
      queue.done(key);
    }
  }
  resync.stop();
  assert.deepEqual(taken, ['early 750', 'middle 1000', 'late 1250', 'early 1750', 'middle 2000', 'late 2250']);
});
