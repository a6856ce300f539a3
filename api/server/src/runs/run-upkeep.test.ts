/** When the leases of runs lapse, on a real Postgres without a village around it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { RUN_ATTEMPTS_MAX, type RunCommand } from '@hamlet/core';
import { findRun, inTransaction, insertRuns, migrate, openDatabase, readRunEvents } from '@hamlet/store';
import type { Db, RunRow } from '@hamlet/store';
import { testPostgres, type TestPostgres } from '@hamlet/test/env/postgres';
import { applyToRun } from './apply-to-run.ts';
import { requeueLook, requeueRuns } from './run-upkeep.ts';

const LONG_AGO = new Date(0);

let postgres: TestPostgres;
let db: Db;

before(async () => {
  postgres = await testPostgres();
  const appUrl = postgres.url().replace('postgres:hamlet@', 'app:secret@');
  await migrate({ ownerUrl: postgres.url(), appUrl });
  db = openDatabase({ url: appUrl, poolSize: 10, onError: () => undefined });
});
after(async () => {
  await db.destroy();
  await postgres.remove();
});

async function give(runId: string, command: RunCommand): Promise<RunRow> {
  const outcome = await inTransaction(db, (tx) => applyToRun(tx, runId, { command, words: {}, permit: () => null }));
  assert.ok(outcome.ok, 'the command was refused');
  return read(runId);
}

async function read(runId: string): Promise<RunRow> {
  const run = await findRun(db, runId);
  assert.ok(run !== null);
  return run;
}

/** A run that an agent has started. */
async function takenUp(): Promise<RunRow> {
  const [run] = await inTransaction(db, (tx) =>
    insertRuns(tx, [
      {
        agentId: 'ada',
        agentUid: 'life',
        kind: 'prompt',
        prompt: 'x',
        createdByRole: 'admin',
        createdById: 'a',
        schedule: null,
      },
    ]),
  );
  assert.ok(run !== undefined);
  return give(run.runId, { kind: 'start', cycle: 1 });
}

/** Sets the end of a run's lease to the past, as if its agent had been silent for that long. */
async function endLease(runId: string): Promise<void> {
  await db
    .updateTable('run')
    .set({ lease_until: new Date(Date.now() - 1_000) })
    .where('run_id', '=', runId)
    .execute();
}

test('a run stays with its agent while any act of the agent renews its lease', async () => {
  const { runId } = await takenUp();
  for (const command of [
    { kind: 'renew', cycle: 1, attempt: 1 },
    { kind: 'step', cycle: 1, attempt: 1 },
    { kind: 'start', cycle: 1 },
  ] as const satisfies readonly RunCommand[]) {
    await endLease(runId);
    const renewed = await give(runId, command);
    assert.ok(renewed.leaseUntil !== null && renewed.leaseUntil > new Date(), command.kind);
    assert.equal(await requeueRuns(db, LONG_AGO), 0, command.kind);
    assert.equal((await read(runId)).state, 'running');
  }
  await give(runId, { kind: 'settle', cycle: 1, attempt: 1, state: 'done' });
  assert.equal((await read(runId)).leaseUntil, null);
});

test('a cancel does not renew the lease', async () => {
  const { runId } = await takenUp();
  await endLease(runId);
  const { leaseUntil } = await give(runId, { kind: 'cancel' });
  assert.ok(leaseUntil !== null && leaseUntil < new Date());
  assert.equal(await requeueRuns(db, LONG_AGO), 0, 'the grace of the cancel decides');
  await give(runId, { kind: 'give_up', state: 'cancelled' });
});

test('a village that was down gives every run a whole lease before it lets one lapse', async () => {
  const { runId } = await takenUp();
  await endLease(runId);
  assert.equal(await requeueRuns(db, new Date()), 0, 'it is back since now');
  assert.equal(await requeueRuns(db, new Date(Date.now() - 25_000)), 0);
  await requeueLook(db)();
  assert.equal((await read(runId)).state, 'running', 'a first look lets nothing lapse');
  assert.equal(await requeueRuns(db, new Date(Date.now() - 31_000)), 1);
  const lapsed = await read(runId);
  assert.deepEqual(
    [lapsed.state, lapsed.attempt, lapsed.cycle, lapsed.leaseUntil, lapsed.endedAt],
    ['queued', 1, 1, null, null],
  );
});

test('of replicas that check at the same time, only one requeues a run', async () => {
  const { runId } = await takenUp();
  await endLease(runId);
  const counts = await Promise.all(Array.from({ length: 8 }, () => requeueRuns(db, LONG_AGO)));
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    1,
  );
  const events = await readRunEvents(db, runId, { after: 0, limit: 10 });
  assert.deepEqual(
    events.map(({ event }) => event),
    ['queued', 'started', 'lapsed'],
  );
});

test('a run that waits for a permission never lapses, and a cancel ends it at once', async () => {
  const { runId } = await takenUp();
  const waiting = await give(runId, { kind: 'wait', cycle: 1, attempt: 1, pending: true });
  assert.deepEqual([waiting.state, waiting.leaseUntil], ['waiting_permission', null]);
  assert.equal(await requeueRuns(db, LONG_AGO), 0);
  const queued = await give(runId, { kind: 'resume' });
  assert.deepEqual([queued.state, queued.attempt], ['queued', 1]);
  const again = await give(runId, { kind: 'start', cycle: 1 });
  await give(runId, { kind: 'wait', cycle: 1, attempt: again.attempt, pending: true });
  const cancelled = await give(runId, { kind: 'cancel' });
  assert.equal(cancelled.state, 'cancelled');
  const events = await readRunEvents(db, runId, { after: 0, limit: 20 });
  assert.deepEqual(
    events.map(({ event }) => event),
    ['queued', 'started', 'waiting', 'queued', 'redelivered', 'waiting', 'settled'],
  );
});

test('attempts with progress have no limit', async () => {
  const { runId } = await takenUp();
  for (let attempt = 1; attempt <= 3 * RUN_ATTEMPTS_MAX; attempt += 1) {
    await give(runId, { kind: 'journal', cycle: 1, attempt });
    await endLease(runId);
    assert.equal(await requeueRuns(db, LONG_AGO), 1);
    assert.equal((await give(runId, { kind: 'start', cycle: 1 })).state, 'running');
  }
  await give(runId, { kind: 'settle', cycle: 1, state: 'done' });
});

test('a run on its last attempt fails when its lease lapses', async () => {
  const { runId } = await takenUp();
  for (let cycle = 2; cycle <= RUN_ATTEMPTS_MAX; cycle += 1) await give(runId, { kind: 'start', cycle });
  await endLease(runId);
  assert.equal(await requeueRuns(db, LONG_AGO), 1);
  const failed = await read(runId);
  assert.deepEqual([failed.state, failed.errorCode], ['failed', 'too_many_attempts']);
});
