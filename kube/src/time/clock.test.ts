import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../testing/fake-clock.ts';
import { Deadline, pause, SilenceError } from './clock.ts';

test('a silence aborts the signal at its limit, not earlier, and the error names the limit', () => {
  const clock = new FakeClock();
  const deadline = new Deadline(1_000, undefined, clock);
  clock.pass(999);
  assert.equal(deadline.signal.aborted, false);
  clock.pass(1);
  assert.equal(deadline.signal.aborted, true);
  assert.ok(deadline.signal.reason instanceof SilenceError);
  assert.equal(deadline.signal.reason.message, 'no data arrived for 1000 ms');
});

test('a limit of 0 ms aborts as soon as timers run', () => {
  const clock = new FakeClock();
  const deadline = new Deadline(0, undefined, clock);
  assert.equal(deadline.signal.aborted, false);
  clock.pass(0);
  assert.equal(deadline.signal.aborted, true);
});

test('data restarts the limit', () => {
  const clock = new FakeClock();
  const deadline = new Deadline(1_000, undefined, clock);
  clock.pass(600);
  deadline.restart();
  clock.pass(999);
  assert.equal(deadline.signal.aborted, false);
  clock.pass(1);
  assert.equal(deadline.signal.aborted, true);
});

test('a shorter limit counts from the last data; a longer limit changes nothing', () => {
  const clock = new FakeClock();
  const deadline = new Deadline(1_000, undefined, clock);
  clock.pass(100);
  deadline.restart();
  clock.pass(50);
  deadline.shorten(200);
  deadline.shorten(5_000);
  clock.pass(149);
  assert.equal(deadline.signal.aborted, false);
  clock.pass(1);
  assert.equal(deadline.signal.aborted, true);
});

test('a shorter limit that has passed already aborts at once', () => {
  const clock = new FakeClock();
  const deadline = new Deadline(1_000, undefined, clock);
  clock.pass(300);
  deadline.shorten(300);
  assert.equal(deadline.signal.aborted, true);
});

test('an aborted parent aborts the signal with its reason, even if the parent was aborted first', () => {
  const parent = new AbortController();
  const during = new Deadline(1_000, parent.signal, new FakeClock());
  parent.abort('stopped');
  const later = new Deadline(1_000, parent.signal, new FakeClock());
  assert.deepEqual([during.signal.reason, later.signal.reason], ['stopped', 'stopped']);
});

test('after `cancel`, neither silence nor the parent aborts the signal', () => {
  const clock = new FakeClock();
  const parent = new AbortController();
  const deadline = new Deadline(1_000, parent.signal, clock);
  deadline.cancel();
  clock.pass(10_000);
  parent.abort();
  assert.equal(deadline.signal.aborted, false);
});

test('a pause ends at its time or when its signal is aborted, whichever comes first', async () => {
  const clock = new FakeClock();
  const ended: string[] = [];
  const stopping = new AbortController();
  const pauses = [
    pause(100, undefined, clock).then(() => ended.push('time')),
    pause(200, stopping.signal, clock).then(() => ended.push('abort')),
  ];
  clock.pass(100);
  await pauses[0];
  assert.deepEqual(ended, ['time']);
  stopping.abort();
  await pauses[1];
  assert.deepEqual(ended, ['time', 'abort']);
  await pause(1_000, stopping.signal, clock);
});
