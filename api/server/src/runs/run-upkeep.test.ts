/** When the leases of runs lapse, on a real Postgres without a village around it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RUN_ATTEMPTS_MAX, type RunCommand } from '@hamlet/core';
import { readRunEvents } from '@hamlet/store';
import { untilEnd } from '@hamlet/test/env/at-end';
import { pluck } from '@hamlet/test/env/pluck';
import { endLease, openRunTables } from '../testing/run-tables.ts';
import { requeueing, requeueLook } from './run-upkeep.ts';

const LONG_AGO = new Date(0);

const runs = untilEnd(await openRunTables({ poolSize: 10 }));
const ports = { db: runs.db, log: () => undefined };
const requeueRuns = requeueing(ports);

test('a run stays with its agent while any act of the agent renews its lease', async () => {
  const { runId } = await runs.addStarted();
  for (const command of [
    { kind: 'renew', cycle: 1, attempt: 1 },
    { kind: 'step', cycle: 1, attempt: 1 },
    { kind: 'start', cycle: 1 },
  ] as const satisfies readonly RunCommand[]) {
    await endLease(runs.db, runId);
    const renewed = await runs.command(runId, command);
    assert.ok(renewed.leaseUntil !== null && renewed.leaseUntil > new Date(), command.kind);
    assert.equal(await requeueRuns(LONG_AGO), 0, command.kind);
    assert.equal((await runs.read(runId)).state, 'running');
  }
  await runs.command(runId, { kind: 'settle', cycle: 1, attempt: 1, state: 'done' });
  assert.equal((await runs.read(runId)).leaseUntil, null);
});

test('a cancel does not renew the lease', async () => {
  const { runId } = await runs.addStarted();
  await endLease(runs.db, runId);
  const { leaseUntil } = await runs.command(runId, { kind: 'cancel' });
  assert.ok(leaseUntil !== null && leaseUntil < new Date());
  assert.equal(await requeueRuns(LONG_AGO), 0, 'the grace of the cancel decides');
  await runs.command(runId, { kind: 'give_up', state: 'cancelled' });
});

test('a village that was down gives every run a whole lease before it lets one lapse', async () => {
  const { runId } = await runs.addStarted();
  await endLease(runs.db, runId);
  assert.equal(await requeueRuns(new Date()), 0, 'it has just come back');
  assert.equal(await requeueRuns(new Date(Date.now() - 10_000)), 0);
  await requeueLook(ports)();
  assert.equal((await runs.read(runId)).state, 'running', 'the first check lets nothing lapse');
  assert.equal(await requeueRuns(new Date(Date.now() - 31_000)), 1);
  const lapsed = await runs.read(runId);
  assert.deepEqual(
    [lapsed.state, lapsed.attempt, lapsed.cycle, lapsed.leaseUntil, lapsed.endedAt],
    ['queued', 1, 1, null, null],
  );
});

test('only one of the replicas that check at the same time requeues a run', async () => {
  const { runId } = await runs.addStarted();
  await endLease(runs.db, runId);
  const counts = await Promise.all(Array.from({ length: 8 }, () => requeueRuns(LONG_AGO)));
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    1,
  );
  const events = await readRunEvents(runs.db, runId, { after: 0, limit: 10 });
  assert.deepEqual(pluck(events, 'event'), ['queued', 'started', 'lapsed']);
});

test('a run that waits for a permission never lapses, and a cancel ends it at once', async () => {
  const { runId } = await runs.addStarted();
  const waiting = await runs.command(runId, { kind: 'wait', cycle: 1, attempt: 1, pending: true });
  assert.deepEqual([waiting.state, waiting.leaseUntil], ['waiting_permission', null]);
  assert.equal(await requeueRuns(LONG_AGO), 0);
  const queued = await runs.command(runId, { kind: 'resume' });
  assert.deepEqual([queued.state, queued.attempt], ['queued', 1]);
  const again = await runs.command(runId, { kind: 'start', cycle: 1 });
  await runs.command(runId, { kind: 'wait', cycle: 1, attempt: again.attempt, pending: true });
  assert.equal((await runs.command(runId, { kind: 'cancel' })).state, 'cancelled');
  const events = await readRunEvents(runs.db, runId, { after: 0, limit: 20 });
  assert.deepEqual(
    events.map(({ event }) => event),
    ['queued', 'started', 'waiting', 'queued', 'redelivered', 'waiting', 'settled'],
  );
});

test('attempts that make progress are not limited', async () => {
  const { runId } = await runs.addStarted();
  for (let attempt = 1; attempt <= 3 * RUN_ATTEMPTS_MAX; attempt += 1) {
    await runs.command(runId, { kind: 'journal', cycle: 1, attempt });
    await endLease(runs.db, runId);
    assert.equal(await requeueRuns(LONG_AGO), 1);
    assert.equal((await runs.command(runId, { kind: 'start', cycle: 1 })).state, 'running');
  }
  await runs.command(runId, { kind: 'settle', cycle: 1, state: 'done' });
});

test('a run on its last attempt fails when its lease lapses', async () => {
  const { runId } = await runs.addStarted();
  for (let cycle = 2; cycle <= RUN_ATTEMPTS_MAX; cycle += 1) await runs.command(runId, { kind: 'start', cycle });
  await endLease(runs.db, runId);
  assert.equal(await requeueRuns(LONG_AGO), 1);
  const failed = await runs.read(runId);
  assert.deepEqual([failed.state, failed.errorCode], ['failed', 'too_many_attempts']);
});
