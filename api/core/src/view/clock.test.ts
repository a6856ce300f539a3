import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawBelow } from '../bytes/prng.ts';
import { DRAW_BEHIND_TICKS, createClock, observeTick, tickAt } from './view.ts';

test('the drawn tick never goes back, stays close and moves smoothly, even if frames are late', () => {
  const clock = createClock();
  let drawn = 0;
  let last = -1;
  const startMs = 5000;
  for (let ms = 0; ms < 60_000; ms += 16) {
    // A frame arrives every half second, up to 180 ms late.
    if (Math.floor(ms / 500) !== Math.floor((ms - 16) / 500))
      observeTick(clock, 1000 + Math.floor((ms - drawBelow(180, 3, ms)) / 100), startMs + ms);
    const tick = tickAt(clock, startMs + ms);
    if (last >= 0) {
      assert.ok(tick >= last, 'monotone');
      assert.ok(tick - last <= 0.16 * 1.11, 'smooth');
    }
    last = tick;
    drawn += 1;
    if (ms > 5000)
      assert.ok(
        Math.abs(tick - (1000 + ms / 100 - DRAW_BEHIND_TICKS)) < 2.5,
        `close to the truth at ${ms} ms: ${tick}`,
      );
  }
  assert.ok(drawn > 0);
});

test('the drawn tick jumps after a tab slept and after the village restarted', () => {
  const clock = createClock();
  observeTick(clock, 100, 0);
  tickAt(clock, 16);
  observeTick(clock, 700, 60_000);
  assert.ok(Math.abs(tickAt(clock, 60_000) - (700 - DRAW_BEHIND_TICKS)) < 1);
  observeTick(clock, 5, 60_100);
  assert.ok(Math.abs(tickAt(clock, 60_100) - (5 - DRAW_BEHIND_TICKS)) < 1);
});
