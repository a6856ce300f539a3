import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { retry } from '../village/retry.ts';
import { restUntil } from './rest.ts';

test('repeating an unanswered request while the process ends still lets timers run', async () => {
  const stop = new AbortController();
  const enough = new AbortController();
  let asked = 0;
  const ask = async () => {
    asked += 1;
    // Without a pause the timer below never fires, and this loop is endless.
    if (asked > 100_000) enough.abort(new Error('the loop let no timer run'));
    return { kind: 'unreachable', why: 'the API is gone' } as const;
  };
  stop.abort();
  const ended = retry(ask, enough.signal, { rest: restUntil(stop.signal), random: () => 0 });
  setTimeout(() => enough.abort(new Error('the timer fired')), 100);
  await assert.rejects(ended, /the timer fired/);
});

test('a pause ends early when the process ends', async () => {
  const stop = new AbortController();
  const paused = restUntil(stop.signal)(600_000);
  stop.abort();
  await Promise.race([paused, delay(60_000, undefined, { ref: false }).then(() => assert.fail('it waits'))]);
});
