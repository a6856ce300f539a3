import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeEvents } from '@hamlet/core';
import type { Batch } from '@hamlet/store';
import { batchOf, CommitQueue } from './commit-queue.ts';

const at = (seq: number) => ({ seq, tick: seq, agent_id: 'ada' });
const arrive = (seq: number) => ({ ...at(seq), kind: 'arrive', x: 1, y: 2, landmark_id: null }) as const;
const talk = (seq: number) => ({ ...at(seq), kind: 'talk', text: 'hello', to: null }) as const;

class Lost extends Error {}
class Duplicate extends Error {}

/** A queue over a store that fails as listed: one entry per attempt, null for success. */
function queueOver(failures: readonly (Error | null)[]): {
  queue: CommitQueue;
  appended: Batch[];
  durable: number[];
  dead: unknown[];
} {
  const [appended, durable, dead]: [Batch[], number[], unknown[]] = [[], [], []];
  let attempt = 0;
  const queue = new CommitQueue({
    epoch: 1,
    append: async (batch) => {
      await sleep(1);
      const failure = failures[attempt] ?? null;
      attempt += 1;
      if (failure !== null) throw failure;
      appended.push(batch);
    },
    mayRetry: (error) => error instanceof Lost,
    alreadyThere: (error) => error instanceof Duplicate,
    onDurable: (events) => durable.push(...events.map((event) => event.seq)),
    onDead: (error) => dead.push(error),
  });
  return { queue, appended, durable, dead };
}

test('moves are packed into one chunk; each other event is a row', () => {
  const batch = batchOf(3, { events: [arrive(1), talk(2), arrive(3)], answers: [], audits: [] });
  assert.deepEqual(batch.events, [talk(2)]);
  assert.deepEqual([batch.moves?.seqFrom, batch.moves?.seqTo, batch.moves?.count], [1, 3, 2]);
  assert.deepEqual(decodeEvents(batch.moves?.packed ?? new Uint8Array()), [arrive(1), arrive(3)]);
});

test('moves wait for a group commit, and an urgent event commits them with it', async () => {
  const { queue, appended, durable } = queueOver([]);
  void queue.push([arrive(1)], { answer: null, urgent: false });
  void queue.push([arrive(2)], { answer: null, urgent: false });
  assert.equal(queue.backlog, 2);
  await queue.push([talk(3)], { answer: null, urgent: true });
  assert.equal(appended.length, 1);
  assert.deepEqual(durable, [1, 2, 3]);
  assert.equal(queue.backlog, 0);
});

test('events that arrive during a commit join the next one, in order', async () => {
  const { queue, appended, durable } = queueOver([]);
  const all = [1, 2, 3, 4].map(async (seq) => {
    await sleep(seq);
    await queue.push([talk(seq)], { answer: null, urgent: true });
  });
  await Promise.all(all);
  assert.deepEqual(durable, [1, 2, 3, 4]);
  assert.deepEqual(
    appended.flatMap((batch) => batch.events.map((event) => event.seq)),
    [1, 2, 3, 4],
  );
});

test('a commit whose connection was lost is retried; if the first attempt succeeded, it counts once', async () => {
  const { queue, durable, dead } = queueOver([new Lost(), new Lost(), new Duplicate()]);
  await queue.push([talk(1)], { answer: null, urgent: true });
  assert.deepEqual(durable, [1]);
  assert.deepEqual(dead, []);
});

test('the queue is unhealthy while commits fail', async () => {
  const { queue } = queueOver([new Lost()]);
  const first = queue.push([talk(1)], { answer: null, urgent: true });
  await sleep(20);
  assert.equal(queue.healthy, false);
  await first;
  assert.equal(queue.healthy, true);
});

test('a commit that cannot succeed ends the queue and rejects every waiting caller', async () => {
  const fenced = new Error('fenced');
  const { queue, durable, dead } = queueOver([fenced]);
  const first = queue.push([talk(1)], { answer: null, urgent: true });
  await sleep(0);
  const second = queue.push([talk(2)], { answer: null, urgent: true });
  await assert.rejects(first, fenced);
  await assert.rejects(second, fenced);
  await assert.rejects(queue.push([talk(3)], { answer: null, urgent: true }));
  assert.deepEqual(durable, []);
  assert.deepEqual(dead, [fenced]);
});
