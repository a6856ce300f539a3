import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testLedger } from '../ledger/testing/test-ledger.ts';
import { changeRun, findStep, type RunChange } from './change-run.ts';
import { lockRun } from './lock-order.ts';
import { insertRuns } from './new-runs.ts';
import type { RunRow } from './run-row.ts';

const ledger = await testLedger(2);

const CHANGE: RunChange = {
  state: 'running',
  attempt: 1,
  progressAttempt: 0,
  cycle: 2,
  cancelRequested: false,
  byAgent: true,
  event: 'step',
  detail: { step: 7 },
};

async function newRun(): Promise<RunRow> {
  const run = {
    agentId: 'ada',
    agentUid: 'uid',
    kind: 'prompt',
    prompt: 'look \u0000 around',
    createdByRole: 'member',
    createdById: 'account 1',
    schedule: null,
  } as const;
  const [made] = await ledger.within((tx) => insertRuns(tx, [run]));
  assert.ok(made);
  return made;
}

const change = (run: RunRow, changes: Partial<RunChange>): Promise<RunRow> =>
  ledger.within((tx) => changeRun(tx, run, { ...CHANGE, ...changes }));

test("a run's start is its first attempt; only the agent renews its lease, and its end is stored once", async () => {
  const queued = await newRun();
  assert.deepEqual([queued.events, queued.startedAt, queued.prompt], [1, null, 'look \uFFFD around']);
  const waiting = await change(queued, { state: 'queued', attempt: 0, cycle: null, byAgent: false, event: 'lapsed' });
  assert.deepEqual([waiting.events, waiting.startedAt, waiting.leaseUntil], [2, null, null]);
  const running = await change(waiting, {});
  assert.ok(running.startedAt !== null && running.leaseUntil !== null && running.endedAt === null);
  const cancelled = await change(running, { cancelRequested: true, byAgent: false, event: 'cancel_requested' });
  assert.deepEqual(
    [cancelled.events, cancelled.startedAt, cancelled.leaseUntil],
    [4, running.startedAt, running.leaseUntil],
  );
  assert.ok(cancelled.cancelRequestedAt !== null);
  const again = await change(cancelled, { attempt: 2, cancelRequested: true, event: 'redelivered' });
  assert.deepEqual([again.startedAt, again.cancelRequestedAt], [running.startedAt, cancelled.cancelRequestedAt]);
  const done = await change(again, { state: 'done', attempt: 2, summary: 'seen', event: 'settled' });
  assert.ok(done.endedAt !== null);
  assert.deepEqual([done.summary, done.leaseUntil], ['seen', null]);
});

test('a recorded step is found by its number; an unknown run returns null', async () => {
  const run = await change(await newRun(), {});
  await ledger.within(async (tx) => {
    assert.deepEqual([await findStep(tx, run.runId, 7), await findStep(tx, run.runId, 8)], [{ step: 7 }, null]);
    assert.equal((await lockRun(tx, run.runId))?.events, 2);
    assert.equal(await lockRun(tx, '00000000-0000-4000-8000-000000000000'), null);
  });
});
