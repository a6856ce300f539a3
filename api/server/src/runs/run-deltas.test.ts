/** Words on their way between two replicas, on a real Postgres and Redis. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RunDelta } from '@hamlet/contract';
import type { RunCommand } from '@hamlet/core';
import { startRedis } from '@hamlet/dev';
import { inTransaction, insertRuns, migrate, openDatabase, type Db, type RunRow } from '@hamlet/store';
import { testPostgres, type TestPostgres } from '@hamlet/test/env/postgres';
import { until } from '@hamlet/test/env/until';
import { openRedisLink, type RedisLink } from '../service/redis-link.ts';
import { applyToRun } from './apply-to-run.ts';
import {
  createRunDeltas,
  DELTA_BYTES_PER_S,
  type DeltaPublisher,
  type DeltaSource,
  type RunDeltas,
} from './run-deltas.ts';
import { startRunWatch, type RunWatch } from './run-watch.ts';

interface Replica {
  readonly link: RedisLink;
  readonly watch: RunWatch;
  readonly deltas: RunDeltas;
}

const POLL_MS = 100;

let postgres: TestPostgres;
let redis: Awaited<ReturnType<typeof startRedis>>;
let db: Db;
let gateway: Replica;
let reader: Replica;
let nowMs = 0;

async function startReplica(appUrl: string): Promise<Replica> {
  const ports = { db, log: () => undefined, link: openRedisLink(redis.url, () => undefined) };
  const watch = await startRunWatch({ ...ports, listenUrl: appUrl }, POLL_MS);
  await until('Redis is connected', async () => ports.link.connected);
  return { link: ports.link, watch, deltas: createRunDeltas({ ...ports, watch, monotonicMs: () => nowMs }) };
}

before(async () => {
  [postgres, redis] = await Promise.all([testPostgres(), startRedis()]);
  const appUrl = postgres.url().replace('postgres:hamlet@', 'app:secret@');
  await migrate({ ownerUrl: postgres.url(), appUrl });
  db = openDatabase({ url: appUrl, poolSize: 4, onError: () => undefined });
  gateway = await startReplica(appUrl);
  reader = await startReplica(appUrl);
});
after(async () => {
  for (const { watch, link } of [gateway, reader]) {
    await watch.stop();
    link.close();
  }
  await db.destroy();
  await Promise.all([postgres.remove(), redis.stop()]);
});

async function give(runId: string, command: RunCommand): Promise<RunRow> {
  const outcome = await inTransaction(db, (tx) => applyToRun(tx, runId, { command, words: {}, permit: () => null }));
  assert.ok(outcome.ok, 'the command was refused');
  return outcome.data.run;
}

async function startedRun(): Promise<RunRow> {
  const run = {
    agentId: 'ada',
    agentUid: 'life',
    kind: 'prompt',
    prompt: 'x',
    createdByRole: 'admin',
    createdById: 'a',
    schedule: null,
  } as const;
  const [made] = await inTransaction(db, (tx) => insertRuns(tx, [run]));
  assert.ok(made !== undefined);
  return give(made.runId, { kind: 'start', cycle: 1 });
}

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
  const heard: RunDelta[] = [];
  reader.deltas.subscribe(runId, (delta) => heard.push(delta));
  await until('the subscription', async () => (await gateway.link.listeners(`run-delta:${runId}`)) === 1);
  return heard;
}

test('words pass from one replica to another, in order, with the request to the model that they belong to', async () => {
  const run = await startedRun();
  const heard = await listenTo(run.runId);
  const publisher = await open(sourceOf(run));
  const words = Array.from({ length: 50 }, (_, index) => `word ${index} `);
  for (const word of words) publisher.publish(word);
  await until('the last word', async () => heard.length === words.length);
  assert.equal(heard.map(({ text }) => text).join(''), words.join(''));
  assert.deepEqual(heard[0], { run_id: run.runId, ask: 3, attempt: 0, text: 'word 0 ' });
  publisher.close();
});

test('a second of one answer has a limit of bytes: more is dropped, and the next second has room again', async () => {
  const run = await startedRun();
  const heard = await listenTo(run.runId);
  const publisher = await open(sourceOf(run));
  publisher.publish('x'.repeat(2 * DELTA_BYTES_PER_S));
  nowMs += 1_000;
  publisher.publish('end');
  await until('the end', async () => heard.at(-1)?.text === 'end');
  assert.equal(
    heard.reduce((sum, { text }) => sum + text.length, 0),
    DELTA_BYTES_PER_S + 'end'.length,
  );
  publisher.close();
});

test('no words pass after a cancel, and none for a run that the agent does not work on', async () => {
  const run = await startedRun();
  const heard = await listenTo(run.runId);
  const publisher = await open(sourceOf(run));
  await give(run.runId, { kind: 'cancel' });
  await until('the publisher knows of the cancel', async () => publisher.signal.aborted);
  publisher.publish('late');
  publisher.close();
  const marker: RunDelta = { run_id: run.runId, ask: 9, attempt: 0, text: 'marker' };
  await gateway.link.publish(`run-delta:${run.runId}`, JSON.stringify(marker));
  await until('the marker', async () => heard.length > 0);
  assert.deepEqual(heard, [marker]);

  const other = await startedRun();
  const refusals: (readonly [string, DeltaSource])[] = [
    ['run_settled', sourceOf(run)],
    ['no_such_run', { ...sourceOf(other), agentUid: 'another life' }],
    ['not_running', { ...sourceOf(other), cycle: 2 }],
    ['not_running', { ...sourceOf(other), lease: 2 }],
  ];
  for (const [reason, source] of refusals)
    assert.deepEqual(await gateway.deltas.open(source), { kind: 'refused', reason });
});

test('a lost notification only delays: the poll finds the change', async () => {
  const run = await startedRun();
  const publisher = await open(sourceOf(run));
  // A change of a replica of the version before, which notifies nobody.
  await db
    .updateTable('run')
    .set({ state: 'queued', events: run.events + 1 })
    .where('run_id', '=', run.runId)
    .execute();
  await until('the poll', async () => publisher.signal.aborted);
  publisher.close();
});
