/** Core's decision and the database's rules agree on every change of a run, and random sequences of commands never violate either. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RUN_STATES, type RunState } from '@hamlet/contract';
import { decideRun, isSettled, type RunCommand, type RunProgress } from '@hamlet/core';
import { changeRun, inTransaction, lockRun, markProgress, readRunEvents, renewClaim, type RunRow } from '@hamlet/store';
import { untilEnd } from '@hamlet/test/env/at-end';
import { pluck } from '@hamlet/test/env/pluck';
import { diceOf, openRunTables } from '../testing/run-tables.ts';
import { cases } from '@hamlet/test/env/seeded';

const WALKS = cases(40, 2_000);
const WALK_STEPS = 12;

const runs = untilEnd(await openRunTables({ poolSize: 2 }));

/** A run in this state, made through changes that the table allows. */
async function runIn(state: RunState): Promise<RunRow> {
  let run = await runs.add();
  if (state === 'queued') return run;
  const way: readonly RunState[] = state === 'running' ? ['running'] : ['running', state];
  for (const next of way)
    run = await write(run, { state: next, attempt: 1, progressAttempt: 0, cycle: 1, cancelRequested: false });
  return run;
}

function write(run: RunRow, next: RunProgress): Promise<RunRow> {
  const error = next.state === 'failed' ? { code: 'x', message: 'x' } : undefined;
  return inTransaction(runs.db, async (tx) => {
    const held = await lockRun(tx, run.runId);
    assert.ok(held !== null);
    return changeRun(tx, held, {
      ...next,
      byAgent: next.state === 'running',
      error,
      event: isSettled(next.state) ? 'settled' : 'started',
      detail: {},
    });
  });
}

async function advance(run: RunRow): Promise<RunRow> {
  await inTransaction(runs.db, (tx) => markProgress(tx, run, run.attempt));
  return runs.read(run.runId);
}

/** Every state that a command of core leads to. */
function reachable(from: RunState): ReadonlySet<RunState> {
  const progress: RunProgress =
    from === 'queued'
      ? { state: from, attempt: 0, progressAttempt: 0, cycle: null, cancelRequested: false }
      : { state: from, attempt: 1, progressAttempt: 0, cycle: 1, cancelRequested: true };
  const commands: readonly RunCommand[] = [
    { kind: 'start', cycle: 2 },
    { kind: 'settle', cycle: 1, state: 'done' },
    { kind: 'settle', cycle: 1, state: 'failed' },
    { kind: 'settle', cycle: 1, state: 'cancelled' },
    { kind: 'cancel' },
    { kind: 'give_up', state: 'failed' },
    { kind: 'give_up', state: 'cancelled' },
  ];
  const uncancelled: RunProgress = { ...progress, cancelRequested: false };
  const verdicts = [
    ...commands.map((command) => decideRun(progress, command)),
    decideRun(uncancelled, { kind: 'lapse' }),
    decideRun(uncancelled, { kind: 'resume' }),
    decideRun(uncancelled, { kind: 'wait', cycle: 1, pending: true }),
  ];
  return new Set(
    verdicts.flatMap((verdict) => ('next' in verdict && verdict.next.state !== from ? [verdict.next.state] : [])),
  );
}

for (const from of RUN_STATES) {
  for (const to of RUN_STATES.filter((state) => state !== from)) {
    // Only a replica of the previous version starts a run that waits.
    if (from === 'waiting_permission' && to === 'running') continue;
    test(`${from} to ${to}: core and database agree`, async () => {
      const run = await runIn(from);
      const next: RunProgress = {
        state: to,
        attempt: Math.max(
          run.attempt,
          to === 'queued' || (isSettled(to) && to !== 'done' && from === 'queued') ? 0 : 1,
        ),
        progressAttempt: run.progressAttempt,
        cycle: run.cycle,
        cancelRequested: false,
      };
      const written = write(run, next.attempt > 0 ? { ...next, cycle: 1 } : next);
      if (reachable(from).has(to)) assert.equal((await written).state, to);
      else await assert.rejects(written, /cannot go from|violates check constraint/);
    });
  }
}

test('the subject of a run never changes, its counters never fall, and only an ended run can be deleted', async () => {
  const { runId } = await runIn('running');
  const change = (values: object): Promise<unknown> =>
    runs.db.updateTable('run').set(values).where('run_id', '=', runId).execute();
  for (const values of [
    { prompt: 'y' },
    { agent_id: 'bob' },
    { agent_uid: 'other' },
    { kind: 'schedule' },
    { created_by_id: 'b' },
    { safe_mode: 'dry_run' },
  ])
    await assert.rejects(change(values), /never changes|violates check/);
  for (const values of [{ attempt: 0 }, { cycle: 0 }, { events: 0 }, { started_at: new Date(0) }])
    await assert.rejects(change(values), /only grow|violates check/);
  const remove = (): Promise<unknown> => runs.db.deleteFrom('run').where('run_id', '=', runId).execute();
  await assert.rejects(remove(), /is under way/);
  await write({ runId } as RunRow, { state: 'done', attempt: 1, progressAttempt: 0, cycle: 1, cancelRequested: false });
  await remove();
  assert.deepEqual(await readRunEvents(runs.db, runId, { after: 0, limit: 10 }), [], 'its events are deleted');
});

test('a run that waits for a permission has no lease and its clock stops; a replica of the previous version may start it', async () => {
  const running = await runIn('running');
  assert.ok(running.leaseUntil !== null);
  const waiting = await write(running, {
    state: 'waiting_permission',
    attempt: 1,
    progressAttempt: 0,
    cycle: 1,
    cancelRequested: false,
  });
  assert.equal(waiting.leaseUntil, null);
  const clock = () =>
    runs.db
      .selectFrom('run')
      .select(['working_since', 'worked_ms', 'lease_until'])
      .where('run_id', '=', running.runId)
      .executeTakeFirstOrThrow();
  assert.equal((await clock()).working_since, null);
  // That replica renews the lease of every run that is not queued.
  await runs.db.updateTable('run').set({ lease_until: new Date() }).where('run_id', '=', running.runId).execute();
  assert.equal((await clock()).lease_until, null);
  await runs.db
    .updateTable('run')
    .set({ state: 'running', attempt: 2, cycle: 2 })
    .where('run_id', '=', running.runId)
    .execute();
  const again = await clock();
  assert.ok(again.working_since !== null && again.lease_until !== null);
});

test('an agent that renews a lapsed lease has worked until its end, and works again from now on', async () => {
  const { runId } = await runIn('running');
  const died = new Date(Date.now() - 30_000_000);
  const set = { working_since: new Date(died.getTime() - 40_000), lease_until: died };
  await inTransaction(runs.db, async (tx) => {
    await tx.updateTable('run').set(set).where('run_id', '=', runId).execute();
    await renewClaim(tx, runId);
  });
  const { worked_ms, working_since } = await runs.db
    .selectFrom('run')
    .select(['worked_ms', 'working_since'])
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow();
  assert.equal(Number(worked_ms), 40_000);
  assert.ok(working_since !== null && working_since > died);
});

test('a run has a lease while an agent works on it, and starts again only as another attempt', async () => {
  const working: RunProgress = { state: 'running', attempt: 1, progressAttempt: 0, cycle: 1, cancelRequested: false };
  const run = await runIn('running');
  assert.ok(run.leaseUntil !== null);
  const waiting = await write(run, { ...working, state: 'queued' });
  assert.deepEqual([waiting.state, waiting.attempt, waiting.leaseUntil], ['queued', 1, null]);
  await assert.rejects(write(waiting, working), /without another attempt/);
  const again = await write(waiting, { ...working, attempt: 2 });
  assert.ok(again.leaseUntil !== null && again.leaseUntil > run.leaseUntil);
  const byOlderVersion = await runs.db
    .updateTable('run')
    .set({ lease_until: null })
    .where('run_id', '=', run.runId)
    .returning('lease_until')
    .executeTakeFirstOrThrow();
  assert.ok(
    byOlderVersion.lease_until !== null && byOlderVersion.lease_until > again.leaseUntil,
    'a writer that sets no lease gets a long one',
  );
});

function commandBy(dice: () => number): RunCommand {
  const cycle = 1 + Math.floor(dice() * 4);
  const choices: readonly RunCommand[] = [
    { kind: 'start', cycle },
    { kind: 'start', cycle },
    { kind: 'step', cycle },
    { kind: 'cancel' },
    { kind: 'settle', cycle, state: 'done' },
    { kind: 'settle', cycle, state: 'failed' },
    { kind: 'settle', cycle, state: 'cancelled' },
    { kind: 'give_up', state: 'failed' },
    { kind: 'lapse' },
    { kind: 'lapse' },
    { kind: 'renew', cycle },
    { kind: 'journal', cycle },
    { kind: 'wait', cycle, pending: dice() < 0.5 },
    { kind: 'resume' },
  ];
  return choices[Math.floor(dice() * choices.length)] ?? { kind: 'cancel' };
}

test(`${WALKS} runs under random commands: the table accepts every decision of core, and events are numbered without a gap`, async () => {
  for (let seed = 1; seed <= WALKS; seed += 1) {
    const dice = diceOf(seed);
    let run = await runs.add();
    for (let step = 0; step < WALK_STEPS; step += 1) {
      const progress: RunProgress = {
        state: run.state,
        attempt: run.attempt,
        progressAttempt: run.progressAttempt,
        cycle: run.cycle,
        cancelRequested: run.cancelRequestedAt !== null,
      };
      const verdict = decideRun(progress, commandBy(dice));
      if (verdict.kind === 'progressed') run = await advance(run);
      else if ('next' in verdict) run = await write(run, verdict.next);
    }
    const events = await readRunEvents(runs.db, run.runId, { after: 0, limit: 100 });
    assert.deepEqual(pluck(events, 'number'), [...Array(run.events + 1).keys()].slice(1), `seed ${seed}`);
  }
});
