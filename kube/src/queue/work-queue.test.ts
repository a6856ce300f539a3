import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../testing/fake-clock.ts';
import { KubeError } from '../client/kube-error.ts';
import { runWorkers, settle } from './workers.ts';
import { Resync } from './resync.ts';
import { WorkQueue } from './work-queue.ts';

test('a key that is added several times waits once', async () => {
  const queue = new WorkQueue();
  for (let count = 0; count < 5; count += 1) queue.add('a');
  assert.equal(queue.depth, 1);
  assert.equal(await queue.take(), 'a');
  assert.equal(queue.depth, 0);
});

test('a key that is added during its work waits once, after that work', async () => {
  const queue = new WorkQueue();
  queue.add('a');
  await queue.take();
  queue.add('a');
  queue.add('a');
  assert.equal(queue.depth, 0);
  queue.done('a');
  assert.equal(queue.depth, 1);
  await queue.take();
  queue.done('a');
  assert.equal(queue.depth, 0);
});

test('live keys come before bulk keys, and a bulk key that changes becomes live', async () => {
  const queue = new WorkQueue();
  queue.add('first', 'bulk');
  queue.add('second', 'bulk');
  queue.add('changed', 'live');
  queue.add('second', 'live');
  queue.add('changed', 'bulk');
  assert.deepEqual([await queue.take(), await queue.take(), await queue.take()], ['changed', 'second', 'first']);
});

test('the earlier of two delays wins', () => {
  const clock = new FakeClock();
  const queue = new WorkQueue(clock);
  queue.addAfter('a', 1_000);
  queue.addAfter('a', 100);
  queue.addAfter('a', 5_000);
  clock.pass(99);
  assert.equal(queue.depth, 0);
  clock.pass(1);
  assert.equal(queue.depth, 1);
  assert.equal(queue.delayed, 0);
});

test('failures back off from 5 ms, doubling to 1000 s, until the key is forgiven', () => {
  const queue = new WorkQueue(new FakeClock());
  const delays = Array.from({ length: 20 }, () => queue.addAfterFailure('a'));
  assert.deepEqual(delays.slice(0, 4), [5, 10, 20, 40]);
  assert.equal(delays.at(-1), 1_000_000);
  queue.forgive('a');
  assert.equal(queue.addAfterFailure('a'), 5);
});

test('every outcome requeues the key accordingly', () => {
  const clock = new FakeClock();
  const queue = new WorkQueue(clock);
  assert.equal(settle(queue, 'a', { kind: 'retry', error: 'x' }), 5);
  assert.equal(settle(queue, 'b', { kind: 'requeue', afterMs: 70 }), 70);
  assert.equal(settle(queue, 'c', { kind: 'done' }), undefined);
  assert.equal(settle(queue, 'd', { kind: 'terminal', error: 'x' }), undefined);
  clock.pass(70);
  assert.equal(queue.depth, 2);
});

test('workers never share a key, retry after an exception, and end when the queue is closed', async () => {
  const queue = new WorkQueue();
  const busy = new Set<string>();
  const done = new Map<string, number>();
  const finished = Promise.withResolvers<void>();
  const working = runWorkers({
    queue,
    count: 4,
    reconcile: async (key) => {
      assert.ok(!busy.has(key), `${key} is worked on twice at a time`);
      busy.add(key);
      await new Promise((resolve) => setImmediate(resolve));
      busy.delete(key);
      const times = (done.get(key) ?? 0) + 1;
      done.set(key, times);
      if (key === 'bad' && times < 3) throw new Error('not yet');
      if (times === 1) queue.add(key);
      if (done.size === 5 && [...done.values()].every((count) => count >= 2) && (done.get('bad') ?? 0) >= 3)
        finished.resolve();
      return { kind: 'done' };
    },
  });
  for (const key of ['a', 'b', 'c', 'd', 'bad']) queue.add(key);
  await finished.promise;
  queue.close();
  await working;
  assert.equal(await queue.take(), undefined);
});

test('bulk keys get through during a storm of live keys', async () => {
  const queue = new WorkQueue();
  for (let count = 0; count < 20; count += 1) queue.add(`live-${count}`);
  queue.add('listed', 'bulk');
  const order: string[] = [];
  for (let count = 0; count < 21; count += 1) order.push((await queue.take()) ?? '');
  assert.equal(order.indexOf('listed'), 7);
});

test('a failure waits as long as the server asks', () => {
  const queue = new WorkQueue(new FakeClock());
  const error = new KubeError({ status: 429, reason: 'TooManyRequests', message: '', retryAfterMs: 4_000 });
  assert.equal(settle(queue, 'a', { kind: 'retry', error }), 4_000);
  assert.equal(settle(queue, 'b', { kind: 'retry', error: new Error('x') }), 5);
  assert.equal(
    settle(queue, 'c', { kind: 'retry', error, withinMs: 1_500 }),
    1_500,
    'a deadline holds even if the back-off is longer',
  );
  assert.equal(settle(queue, 'd', { kind: 'retry', error: new Error('x'), withinMs: 1_500 }), 5);
  assert.equal(queue.retries, 4);
});

test('a delayed bulk key that is added again keeps the earlier time and becomes live', async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue(clock);
  queue.addAfter('a', 1_000, 'bulk');
  queue.addAfter('a', 5_000, 'live');
  queue.add('b', 'bulk');
  clock.pass(1_000);
  assert.deepEqual([await queue.take(), await queue.take()], ['a', 'b']);
});

test('the queue reports the wait of each key, and how long the queue and a worker have been stuck', async () => {
  const clock = new FakeClock();
  const waits: [string, number][] = [];
  const queue = new WorkQueue(clock, { onTaken: (key, waitedMs) => waits.push([key, waitedMs]) });
  clock.pass(1_000);
  queue.add('a');
  queue.add('b');
  assert.equal(queue.stalledMs, 0);
  clock.pass(300);
  await queue.take();
  assert.deepEqual([waits, queue.stalledMs, queue.longestMs], [[['a', 300]], 0, 0]);
  clock.pass(700);
  assert.deepEqual([queue.stalledMs, queue.longestMs], [700, 700]);
  queue.done('a');
  assert.deepEqual([queue.stalledMs, queue.longestMs], [0, 0]);
});

test('a reconcile that throws synchronously ends no worker', async () => {
  const queue = new WorkQueue(new FakeClock());
  const outcomes: string[] = [];
  const second = Promise.withResolvers<void>();
  const working = runWorkers({
    queue,
    count: 1,
    reconcile: (key) => {
      if (key === 'bad') throw new Error('bad');
      second.resolve();
      return Promise.resolve({ kind: 'done' });
    },
    onOutcome: ({ outcome }) => outcomes.push(outcome.kind),
  });
  queue.add('bad');
  queue.add('good');
  await second.promise;
  queue.close();
  await working;
  assert.deepEqual(outcomes, ['retry', 'done']);
});

test('a resync adds every key once a round, each at its own time, behind keys that changed', async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue(clock);
  const draws = [0, 0.5, 0.999];
  const resync = new Resync({
    queue,
    keys: () => ['a', 'b', 'c'],
    everyMs: 1_000,
    clock,
    random: () => draws.shift() ?? 0,
  });
  resync.start();
  resync.start();
  clock.pass(749);
  assert.equal(queue.delayed + queue.depth, 0);
  clock.pass(1);
  assert.deepEqual([queue.depth, queue.delayed], [1, 2]);
  queue.add('live');
  assert.equal(await queue.take(), 'live');
  clock.pass(500);
  assert.equal(queue.depth, 3);
  resync.stop();
  clock.pass(10_000);
  assert.equal(queue.delayed, 0);
});
