/**
 * Agents are killed and stall at random while two replicas requeue runs: no run stays running without a live lease,
 * none is lost, and the acts of one attempt come from one process.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSettled, type RunCommand } from '@hamlet/core';
import { readNextRun, readRunEvents } from '@hamlet/store';
import { untilEnd } from '@hamlet/test/env/at-end';
import { diceOf, openRunTables, RUN_AGENT } from '../testing/run-tables.ts';
import { requeueing } from './run-upkeep.ts';
import { cases } from '@hamlet/test/env/seeded';

const RUNS = cases(20, 200);
const ROUNDS_MAX = 100 * RUNS;
const LONG_AGO = new Date(0);

const runs = untilEnd(await openRunTables({ poolSize: 6 }));
const requeueRuns = requeueing({ db: runs.db, log: () => undefined });

/** A process that has started a run. */
interface Worker {
  readonly runId: string;
  readonly attempt: number;
}

/** The process whose acts in an attempt were accepted. */
type Authors = Map<string, Worker>;

async function take(): Promise<Worker | null> {
  const run = await readNextRun(runs.db, RUN_AGENT);
  if (run === null) return null;
  const { runId, attempt, state } = await runs.command(run.runId, { kind: 'start', cycle: 1 });
  return state === 'running' ? { runId, attempt } : null;
}

/** One act of a process, which may have been replaced long ago. True if it was accepted. */
async function act(worker: Worker, dice: () => number): Promise<boolean> {
  const claim = { cycle: 1, attempt: worker.attempt };
  const choices: readonly RunCommand[] = [
    { kind: 'journal', ...claim },
    { kind: 'renew', ...claim },
    { kind: 'wait', ...claim, pending: true },
    { kind: 'settle', ...claim, state: dice() < 0.5 ? 'done' : 'failed' },
  ];
  return runs.tryCommand(worker.runId, choices[Math.floor(dice() * choices.length)] ?? { kind: 'renew', ...claim });
}

/** Ends the lease of a killed process, as 30 seconds of silence would, and lets both replicas requeue at once. */
async function lose(runId: string): Promise<void> {
  const past = new Date(Date.now() - 1_000);
  await runs.db
    .updateTable('run')
    .set({ lease_until: past })
    .where('run_id', '=', runId)
    .where('state', '=', 'running')
    .execute();
  const requeued = await Promise.all([requeueRuns(LONG_AGO), requeueRuns(LONG_AGO)]);
  assert.ok(requeued[0] + requeued[1] <= 1, 'one replica requeues it');
  assert.notEqual((await runs.read(runId)).state, 'running', 'no run stays running without a lease');
}

async function dropEnded(open: Set<string>): Promise<void> {
  for (const runId of open) {
    const run = await runs.read(runId);
    if (isSettled(run.state)) open.delete(runId);
  }
}

function noteAuthor(authors: Authors, worker: Worker): void {
  const key = `${worker.runId} ${worker.attempt}`;
  assert.equal(authors.get(key) ?? worker, worker, 'one process for an attempt');
  authors.set(key, worker);
}

test(`${RUNS} runs of agents that are killed at random all end, and no replaced process acts`, async () => {
  const dice = diceOf(7);
  const made = await Promise.all(Array.from({ length: RUNS }, () => runs.add()));
  const authors: Authors = new Map();
  const replaced: Worker[] = [];
  const open = new Set(made.map(({ runId }) => runId));
  let present: Worker | null = null;
  for (let round = 0; open.size > 0; round += 1) {
    assert.ok(round < ROUNDS_MAX, `${open.size} runs never ended`);
    for (const runId of open) if (dice() < 0.05) await runs.tryCommand(runId, { kind: 'resume' });
    present ??= await take();
    if (present === null) {
      // All runs wait, or the run to start had used up its attempts.
      await dropEnded(open);
      continue;
    }
    noteAuthor(authors, present);
    const old = replaced[Math.floor(dice() * replaced.length)];
    // The end of an ended run may be repeated; it changes nothing.
    if (old !== undefined && open.has(old.runId)) assert.equal(await act(old, dice), false, 'a replaced process acts');
    const isKilled = dice() < 0.4;
    if (isKilled) await lose(present.runId);
    else await act(present, dice);
    const run = await runs.read(present.runId);
    if (isSettled(run.state)) open.delete(run.runId);
    if (run.state === 'running') continue;
    if (!isSettled(run.state)) replaced.push(present);
    present = null;
  }
  for (const { runId } of made) {
    const run = await runs.read(runId);
    const events = await readRunEvents(runs.db, runId, { after: 0, limit: 1_000 });
    assert.deepEqual([run.events, events.at(-1)?.event], [events.length, 'settled']);
  }
});
