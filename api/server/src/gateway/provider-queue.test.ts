import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProviderQueue, type ProviderPlace, type QueueOutcome } from './provider-queue.ts';

const { signal } = new AbortController();
const ask = (rank: number, stop = signal) => ({ provider: 'local', rank, signal: stop });

function aQueue(places: number | undefined, limits: { waitMs?: number; maxWaiting?: number } = {}): ProviderQueue {
  return new ProviderQueue({ placesOf: () => places, waitMs: 60_000, maxWaiting: 100, ...limits });
}

function placeOf(outcome: QueueOutcome): ProviderPlace {
  assert.ok(typeof outcome !== 'string', String(outcome));
  return outcome;
}

test('a place goes to the highest waiting tier, and within a tier to the first request', async () => {
  const queue = aQueue(1);
  const order: string[] = [];
  const first = placeOf(await queue.enter(ask(0)));
  const all = (
    [
      ['low', 0],
      ['high', 2],
      ['middle', 1],
      ['high again', 2],
    ] as const
  ).map(async ([name, rank]) => {
    const place = placeOf(await queue.enter(ask(rank)));
    order.push(name);
    place.release();
  });
  assert.deepEqual(queue.waiting, [['local', 4]]);
  first.release();
  first.release();
  await Promise.all(all);
  assert.deepEqual(order, ['high', 'high again', 'middle', 'low']);
  assert.deepEqual(queue.waiting, [['local', 0]]);
});

test('there are never more concurrent requests than places', async () => {
  const queue = aQueue(3);
  let active = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const place = placeOf(await queue.enter(ask(index % 3)));
      active += 1;
      most = Math.max(most, active);
      await new Promise(setImmediate);
      active -= 1;
      place.release();
    }),
  );
  assert.deepEqual([most, active], [3, 0]);
});

test('a full queue or a long wait is reported as busy; a caller that leaves frees its turn', async () => {
  const queue = aQueue(1, { waitMs: 5, maxWaiting: 1 });
  const held = placeOf(await queue.enter(ask(0)));
  const waits = queue.enter(ask(0));
  assert.equal(await queue.enter(ask(9)), 'busy', 'the queue is full, for any tier');
  assert.equal(await waits, 'busy', 'after its wait');
  const leaving = new AbortController();
  const left = queue.enter(ask(0, leaving.signal));
  leaving.abort();
  assert.equal(await left, 'left');
  assert.equal(await queue.enter(ask(0, leaving.signal)), 'left');
  held.release();
  placeOf(await queue.enter(ask(0))).release();
});

test('a provider without a limit has a place for every request', async () => {
  const queue = aQueue(undefined);
  await Promise.all(Array.from({ length: 500 }, async () => placeOf(await queue.enter(ask(0)))));
  assert.deepEqual(queue.waiting, []);
});
