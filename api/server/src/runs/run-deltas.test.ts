/** Streamed text between two replicas, on a real Postgres and Redis. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunDelta } from '@hamlet/contract';
import { testRedis } from '@hamlet/test/env/redis';
import type { RunRow } from '@hamlet/store';
import { until } from '@hamlet/test/env/until';
import { atEnd } from '@hamlet/test/env/at-end';
import { openRedisLink, type RedisLink } from '../service/redis-link.ts';
import { openRunTables } from '../testing/run-tables.ts';
import type { DeltaPublisher, DeltaSource, RunDeltas } from './run-deltas.ts';
import { createRunDeltas, DELTA_BYTES_PER_S } from './run-deltas.ts';
import { startRunWatch, type RunWatch } from './run-watch.ts';
import { openNotifications, type Notifications } from '../service/notifications.ts';

interface Replica {
  readonly link: RedisLink;
  readonly watch: RunWatch;
  readonly deltas: RunDeltas;
  readonly notifications: Notifications;
}

const POLL_MS = 100;

let nowMs = 0;

async function startReplica(): Promise<Replica> {
  const notifications = openNotifications(runs.appUrl, () => undefined);
  const ports = { db: runs.db, log: () => undefined, link: openRedisLink(redis.url, () => undefined) };
  const watch = await startRunWatch({ ...ports, notifications }, POLL_MS);
  await until('Redis is connected', async () => ports.link.connected);
  return {
    link: ports.link,
    watch,
    notifications,
    deltas: createRunDeltas({ ...ports, watch, monotonicMs: () => nowMs }),
  };
}

const [runs, redis] = await Promise.all([openRunTables({ poolSize: 4 }), testRedis()]);
const gateway = await startReplica();
const reader = await startReplica();
atEnd(async () => {
  for (const { watch, link, notifications } of [gateway, reader]) {
    await watch.stop();
    await notifications.close();
    link.close();
  }
  await Promise.all([runs.remove(), redis.remove()]);
});

const sourceOf = ({ runId }: RunRow): DeltaSource => ({
  runId,
  agentUid: 'life',
  cycle: 1,
  lease: 1,
  ask: 3,
  attempt: 0,
});

async function open(source: DeltaSource): Promise<DeltaPublisher> {
  const opened = await gateway.deltas.open(source);
  assert.equal(opened.kind, 'open');
  assert.ok(opened.kind === 'open');
  return opened.publisher;
}

/** Reads the deltas of a run on the other replica, once its subscription has begun. */
async function listenTo(runId: string): Promise<RunDelta[]> {
  const received: RunDelta[] = [];
  reader.deltas.subscribe(runId, (delta) => received.push(delta));
  await until('the subscription', async () => (await gateway.link.listeners(`run-delta:${runId}`)) === 1);
  return received;
}

test('text passes from one replica to another, in order, with the model request that it belongs to', async () => {
  const run = await runs.addStarted();
  const received = await listenTo(run.runId);
  const publisher = await open(sourceOf(run));
  const words = Array.from({ length: 50 }, (_, index) => `word ${index} `);
  for (const word of words) publisher.publish(word);
  await until('the last word', async () => received.length === words.length);
  assert.equal(received.map(({ text }) => text).join(''), words.join(''));
  assert.deepEqual(received[0], { run_id: run.runId, ask: 3, attempt: 0, text: 'word 0 ' });
  publisher.close();
});

test('text of one answer beyond a byte limit per second is dropped; the next second has room again', async () => {
  const run = await runs.addStarted();
  const received = await listenTo(run.runId);
  const publisher = await open(sourceOf(run));
  publisher.publish('x'.repeat(2 * DELTA_BYTES_PER_S));
  nowMs += 1_000;
  publisher.publish('end');
  await until('the end', async () => received.at(-1)?.text === 'end');
  assert.equal(
    received.reduce((sum, { text }) => sum + text.length, 0),
    DELTA_BYTES_PER_S + 'end'.length,
  );
  publisher.close();
});

test('no text passes after a cancel, or for a run that the agent does not work on', async () => {
  const run = await runs.addStarted();
  const received = await listenTo(run.runId);
  const publisher = await open(sourceOf(run));
  await runs.command(run.runId, { kind: 'cancel' });
  await until('the publisher knows of the cancel', async () => publisher.signal.aborted);
  publisher.publish('late');
  publisher.close();
  const marker: RunDelta = { run_id: run.runId, ask: 9, attempt: 0, text: 'marker' };
  await gateway.link.publish(`run-delta:${run.runId}`, JSON.stringify(marker));
  await until('the marker', async () => received.length > 0);
  assert.deepEqual(received, [marker]);

  const other = await runs.addStarted();
  const refusals: (readonly [string, DeltaSource])[] = [
    ['run_settled', sourceOf(run)],
    ['no_such_run', { ...sourceOf(other), agentUid: 'another life' }],
    ['not_running', { ...sourceOf(other), cycle: 2 }],
    ['not_running', { ...sourceOf(other), lease: 2 }],
  ];
  for (const [reason, source] of refusals)
    assert.deepEqual(await gateway.deltas.open(source), { kind: 'refused', reason });
});

test('if a notification is lost, the poll finds the change later', async () => {
  const run = await runs.addStarted();
  const publisher = await open(sourceOf(run));
  // A change by a replica of the previous version, which sends no notification.
  await runs.db
    .updateTable('run')
    .set({ state: 'queued', events: run.events + 1 })
    .where('run_id', '=', run.runId)
    .execute();
  await until('the poll', async () => publisher.signal.aborted);
  publisher.close();
});
