/** Runs that wait for permissions, their budgets and usage, and ends without an effect, over HTTP. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PANICS, RunBudgets } from '@hamlet/contract';
import { inTransaction, insertRuns, readOverdueRuns, readRunLeft } from '@hamlet/store';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { RunPlay } from '../testing/play/run-play.ts';
import { eventually, startPlay } from '../testing/test-village.ts';

const { village, play } = await startPlay();
const runs = new RunPlay(play.url);
const db = village.openDb();

/** A run that the agent has started with a runtime, as a resident with a model does. */
async function startedRun(agentId: 'ada' | 'bob'): Promise<{ readonly runId: string; readonly cycle: number }> {
  const { run_id: runId } = await runs.give(agentId);
  const cycle = await runs.cycle(agentId);
  await runs.play.as(agentId).startRun({ run_id: runId, cycle, runtime: 'engine' });
  return { runId, cycle };
}

test("a start returns the tier's budgets, no permissions and no session; a wait without a permission keeps the lease", async () => {
  const { run_id } = await runs.give('ada');
  const cycle = await runs.cycle('ada');
  const params = { run_id };
  const body = { cycle, runtime: 'engine' };
  const started = await runs.play.as('ada').startRun({ ...params, ...body });
  assert.deepEqual([started.permissions, started.session, started.run.runtime], [[], null, 'engine']);
  const { spent, first, ...limits } = started.run.budgets ?? {};
  assert.deepEqual(RunBudgets.parse(started.budgets), limits);
  assert.deepEqual(
    [{ ...spent, since: null }, first],
    [{ steps: 0, tokens: 0, money: '0', timeMs: 0, since: null }, 'steps'],
  );
  assert.deepEqual((await runs.play.as('ada').startRun({ ...params, ...body })).budgets, started.budgets);
  const waited = await runs.play.as('ada').waitRun({ ...params, cycle, attempt: 1 });
  assert.deepEqual([waited.run.state, waited.permissions], ['running', []]);
  await refuses(runs.play.as('ada').waitRun({ ...params, cycle, attempt: 2 }), 'claim_lapsed');
  dataOf(await runs.settle('ada', run_id, { state: 'done', summary: 'Done.', answer: 'It is noon.' }));
});

test("a waiting run is neither offered nor started, and does not count towards the tier's limit", async () => {
  const { runId, cycle } = await startedRun('ada');
  await db.updateTable('run').set({ state: 'waiting_permission' }).where('run_id', '=', runId).execute();
  assert.equal(await runs.next('ada'), null);
  await refuses(runs.start('ada', runId), 'run_waiting');
  await refuses(runs.play.as('ada').renewRun({ run_id: runId, cycle }), 'claim_lapsed');
  const other = await runs.give('ada', 'another');
  assert.equal(dataOf(await runs.start('ada', other.run_id)).run.state, 'running');
  assert.equal(dataOf(await runs.cancel(runId)).run.state, 'cancelled');
  await runs.finishAll('ada');
});

test('a start that comes during a park is refused once the run is parked', async () => {
  const { runId } = await startedRun('ada');
  const until = new Date(Date.now() + 3_600_000);
  const { start } = await inTransaction(db, async (tx) => {
    const parked = { state: 'queued', parked_code: 'network', parked_until: until } as const;
    await tx.updateTable('run').set(parked).where('run_id', '=', runId).execute();
    const starting = runs.start('ada', runId);
    await eventually('the start waits for the run', () =>
      db
        .withTables<{ pg_locks: { locktype: string; granted: boolean } }>()
        .selectFrom('pg_locks')
        .select('locktype')
        .where('locktype', '=', 'transactionid')
        .where('granted', '=', false)
        .executeTakeFirst(),
    );
    return { start: starting };
  });
  await refuses(start, 'run_parked');
  dataOf(await runs.cancel(runId));
});

test('a parked run is queued until its model may answer, says so, and then continues as another attempt', async () => {
  const { runId, cycle } = await startedRun('ada');
  const lease = { run_id: runId, cycle, attempt: 1 };
  const parked = await runs.play.as('ada').parkRun({ ...lease, code: 'token_quota_exhausted', wait_ms: 3_600_000 });
  assert.deepEqual([parked.run.state, parked.run.parked?.code], ['queued', 'token_quota_exhausted']);
  assert.ok(Date.parse(parked.run.parked?.until ?? '') > Date.now() + 3_000_000);
  assert.equal(await runs.next('ada'), null);
  await refuses(runs.start('ada', runId), 'run_parked');
  await refuses(runs.play.as('ada').parkRun({ ...lease, code: 'network', wait_ms: 1_000 }), 'claim_lapsed');
  const other = await runs.give('ada', 'another');
  assert.equal((await runs.next('ada'))?.run_id, other.run_id, 'other work goes on');
  dataOf(await runs.cancel(other.run_id));
  await db
    .updateTable('run')
    .set({ parked_until: new Date(0) })
    .where('run_id', '=', runId)
    .execute();
  assert.equal((await runs.next('ada'))?.run_id, runId);
  const again = dataOf(await runs.start('ada', runId)).run;
  assert.deepEqual([again.state, again.attempt, again.parked], ['running', 2, null]);
  dataOf(await runs.cancel(runId));
  const { run } = await runs.play.as('ada').parkRun({ ...lease, attempt: 2, code: 'network', wait_ms: 1_000 });
  assert.equal(run.state, 'running', 'the agent ends a cancelled run');
  dataOf(await runs.settle('ada', runId, { state: 'cancelled', summary: 'Cancelled.' }));
  const second = await startedRun('ada');
  for (let number = 2; number < 10; number += 1)
    await db
      .insertInto('run_event')
      .values({ run_id: second.runId, number: 100 + number, event: 'queued', detail: '{"wait_ms":86400000}' })
      .execute();
  const third = await runs.play
    .as('ada')
    .parkRun({ run_id: second.runId, cycle, attempt: 1, code: 'network', wait_ms: 1 });
  assert.deepEqual([third.run.state, third.run.error?.code], ['failed', 'parked_too_long']);
  const fourth = await startedRun('ada');
  await runs.play.as('ada').parkRun({ run_id: fourth.runId, cycle, attempt: 1, code: 'network', wait_ms: 60_000 });
  assert.equal(dataOf(await runs.cancel(fourth.runId)).run.state, 'cancelled', 'a parked run is cancelled at once');
});

test('a run that waits for tokens continues when its agent has bought more of them', async () => {
  const { runId, cycle } = await startedRun('ada');
  await runs.play
    .as('ada')
    .parkRun({ run_id: runId, cycle, attempt: 1, code: 'token_quota_exhausted', wait_ms: 3_600_000 });
  assert.equal(await runs.next('ada'), null);
  await runs.play.admin.rewardAgent({ agent_id: 'ada', amount: '50', reason: 'for tokens' });
  const item = { kind: 'quota', limit: 'tokens_per_hour', amount: 500_000 } as const;
  await runs.play.admin.buyCompute({ agent_id: 'ada', item, seconds: 3_600 });
  assert.equal((await runs.next('ada'))?.run_id, runId);
  assert.equal(dataOf(await runs.start('ada', runId)).run.attempt, 2);
  dataOf(await runs.settle('ada', runId, { attempt: 2, state: 'done', summary: 'Done.', answer: 'It is noon.' }));
});

test('a run without any effect cannot end as done', async () => {
  const { runId, cycle } = await startedRun('bob');
  const end = { run_id: runId, cycle, attempt: 1, state: 'done', summary: 'Done.' } as const;
  for (let time = 0; time < 2; time += 1) {
    const { run } = await runs.play.as('bob').settleRun(end);
    assert.deepEqual([run.state, run.error?.code, run.summary], ['failed', 'run_did_nothing', null]);
  }
  const worked = await startedRun('bob');
  dataOf(await runs.step('bob', worked.runId, { step: 0, outcome: 'done', text: 'Looked around.' }));
  assert.equal(dataOf(await runs.settle('bob', worked.runId, { state: 'done', summary: 'Done.' })).run.state, 'done');
});

test("usage is the agent's count until the API has its own", async () => {
  const { runId, cycle } = await startedRun('bob');
  const usage = { steps: 3, tokens: 1_200, cost: '0.5' };
  const body = { cycle, attempt: 1, state: 'failed' as const, summary: 'No.', usage, unsettled: ['1.0'] };
  const { run } = await runs.play.as('bob').settleRun({ run_id: runId, ...body });
  assert.deepEqual([run.usage, run.unsettled], [{ ...usage, witnessed: false }, ['1.0']]);
  const counted = { tokens: 1_000, cost_micros: 400_000 };
  await db.updateTable('run').set(counted).where('run_id', '=', runId).execute();
  assert.deepEqual((await runs.get(runId)).usage, { steps: 3, tokens: 1_000, cost: '0.4', witnessed: true });
});

test('a run that the API ends names the calls whose end is unknown', async () => {
  const { runId, cycle } = await startedRun('ada');
  const ref = 'r'.repeat(22);
  const event = { v: 1, run: runId, stage: 'main', fence: 1, at: 0, elapsedMs: 0 };
  const begun = { ...event, type: 'tool_intent', tool: 'shell', arguments: ref, effect: 'once' };
  const entries = [
    { seq: 1, event: { ...begun, call: '0.0' } },
    { seq: 2, event: { ...begun, call: '0.1' } },
    { seq: 3, event: { ...event, type: 'tool_settled', call: '0.0', outcome: 'ok', result: ref } },
  ];
  await runs.play.as('ada').storeRunJournal({ run_id: runId, cycle, attempt: 1, entries, payloads: [] });
  await db.updateTable('run').set({ state: 'waiting_permission' }).where('run_id', '=', runId).execute();
  const { run } = dataOf(await runs.cancel(runId));
  assert.deepEqual([run.state, run.unsettled], ['cancelled', ['0.1']]);
});

test('the API ends a run that works far longer than its time budget; waiting does not count', async () => {
  const { runId } = await startedRun('bob');
  const late = new Date(Date.now() - 21_600_000 - 100_000);
  const since = (working_since: Date): Promise<unknown> =>
    db.updateTable('run').set({ working_since }).where('run_id', '=', runId).execute();
  const limits = { cancelGraceS: 10, stopGraceS: 300, timeGraceS: 300, timeLimitS: 86_400, unseenLifeS: 600 };
  const isOverdue = async (): Promise<boolean> =>
    (await readOverdueRuns(db, limits)).some((overdue) => overdue.runId === runId && overdue.why === 'time_limit');
  await since(late);
  assert.equal(await isOverdue(), false);
  await since(new Date(late.getTime() - 205_000));
  const ended = await eventually('the end', async () => {
    const run = await runs.get(runId);
    return run.state === 'failed' ? run : null;
  });
  assert.equal(ended.error?.code, 'time_limit');
});

test('an outage counts towards the time of a run until the end of its lease', async () => {
  const { runId } = await startedRun('bob');
  const died = new Date(Date.now() - 30_000_000);
  await db
    .updateTable('run')
    .set({ working_since: new Date(died.getTime() - 40_000), lease_until: died })
    .where('run_id', '=', runId)
    .execute();
  const row = await eventually('the run to wait for another attempt', () =>
    db
      .selectFrom('run')
      .select('worked_ms')
      .where('run_id', '=', runId)
      .where('state', '=', 'queued')
      .executeTakeFirst()
      .then((found) => found ?? null),
  );
  assert.equal(Number(row.worked_ms), 40_000);
});

test('the API ends a stopped run whose agent gives no last report in time', async () => {
  const { runId } = await startedRun('bob');
  const stopped_at = new Date(Date.now() - 301_000);
  await db
    .updateTable('run')
    .set({ stopped_code: 'tests_keep_failing', stopped_at })
    .where('run_id', '=', runId)
    .execute();
  const ended = await eventually('the end', async () => {
    const run = await runs.get(runId);
    return run.state === 'failed' ? run : null;
  });
  assert.deepEqual(ended.error, { code: 'tests_keep_failing', message: PANICS.tests_keep_failing });
});

test('a run names its mind: at its start, and again with a renewal once its version is known', async () => {
  const named = { runtime: 'acp', preset: 'pi', program: 'Pi', version: null, installed: false };
  const known = { ...named, version: '0.0.34', installed: true };
  const { run_id } = await runs.give('ada');
  const cycle = await runs.cycle('ada');
  const asAda = runs.play.as('ada');
  const listed = async () => {
    const { runs: found } = await runs.play.admin.listRuns({ agent_id: 'ada', limit: 1 });
    return found[0]?.mind;
  };
  assert.equal(await listed(), undefined);
  await asAda.startRun({ run_id, cycle, runtime: 'acp', mind: named });
  assert.deepEqual(await listed(), named);
  assert.deepEqual((await asAda.renewRun({ run_id, cycle, mind: known })).run.mind, known);
  assert.deepEqual(await listed(), known);
  dataOf(await runs.settle('ada', run_id, { state: 'done', summary: 'Done.' }));
  await refuses(asAda.renewRun({ run_id, cycle, mind: named }), 'run_settled');
});

test('a person raises the limits of a run under way, at most to those of a new run', async () => {
  const { runId: run_id, cycle } = await startedRun('ada');
  const admin = runs.play.admin;
  const limits = (await runs.get(run_id)).budgets ?? assert.fail('no limits');
  await db.updateTable('run').set({ tokens: 1_000, steps: 5 }).where('run_id', '=', run_id).execute();
  await refuses(admin.raiseRun({ run_id, budgets: { tokens: limits.tokens + 1_001 } }), 'budget_too_high');
  await refuses(runs.play.member.raiseRun({ run_id, budgets: 'refill' }), 'forbidden');
  const raised = await admin.raiseRun({ run_id, budgets: { tokens: limits.tokens + 500 } });
  assert.equal(raised.run.budgets?.tokens, limits.tokens + 500);
  assert.equal((await admin.raiseRun({ run_id, budgets: { tokens: 1 } })).run.budgets?.tokens, limits.tokens + 500);
  const refilled = await admin.raiseRun({ run_id, budgets: 'refill' });
  assert.deepEqual(
    [refilled.run.budgets?.tokens, refilled.run.budgets?.steps],
    [limits.tokens + 1_000, limits.steps + 5],
  );
  const renewed = await runs.play.as('ada').renewRun({ run_id, cycle });
  assert.equal(renewed.run.budgets?.tokens, limits.tokens + 1_000, 'the agent reads them with its next heartbeat');
  const left = await readRunLeft(db, { agentId: 'ada', agentUid: await uidOf(run_id), runId: run_id });
  assert.equal(left?.left?.tokens, limits.tokens, 'the gateway reads them with the next request');
  assert.deepEqual(
    (await runs.events(run_id)).map(({ event }) => event).filter((event) => event === 'budget_raised').length,
    2,
  );
  await assert.rejects(
    db
      .updateTable('run')
      .set({ budgets: JSON.stringify(limits) })
      .where('run_id', '=', run_id)
      .execute(),
    /only grow/,
  );
  dataOf(await runs.settle('ada', run_id, { state: 'failed', summary: 'No.' }));
  await refuses(admin.raiseRun({ run_id, budgets: 'refill' }), 'run_settled');
});

test('a refill counts what workers have used, and leaves out what they have left', async () => {
  const { runId: run_id } = await startedRun('ada');
  const { admin } = runs.play;
  const { budgets, ...run } = await runs.get(run_id);
  const limits = budgets ?? assert.fail('no limits');
  const agentUid = await uidOf(run_id);
  const worker = { parentRunId: run_id, callId: '1.0', role: 'helper', depth: 1, budgets: limits, toolLists: [] };
  const by = { createdByRole: run.created_by.role, createdById: run.created_by.id };
  const [{ runId } = assert.fail('no worker')] = await inTransaction(db, (tx) =>
    insertRuns(tx, [{ agentId: 'ada', agentUid, kind: 'worker', prompt: 'Help.', ...by, schedule: null, worker }]),
  );
  await db.updateTable('run').set({ tokens: 300 }).where('run_id', '=', runId).execute();
  const refilled = async () => (await admin.raiseRun({ run_id, budgets: 'refill' })).run.budgets?.tokens;
  assert.equal(await refilled(), limits.tokens + 300);
  await runs.cancel(runId);
  assert.equal(await refilled(), limits.tokens + 300);
  dataOf(await runs.settle('ada', run_id, { state: 'failed', summary: 'No.' }));
});

const uidOf = async (runId: string): Promise<string> =>
  (await db.selectFrom('run').select('agent_uid').where('run_id', '=', runId).executeTakeFirstOrThrow()).agent_uid;
