/**
 * Agents that are killed and stall at random while two replicas requeue runs: no run stays running without a live lease,
 * none vanishes, and the acts of one attempt come from one process.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RunCommand } from '@hamlet/core';
import { isSettled } from '@hamlet/core';
import { findRun, inTransaction, insertRuns, migrate, openDatabase, readNextRun, readRunEvents } from '@hamlet/store';
import type { Db } from '@hamlet/store';
import { testPostgres, type TestPostgres } from '@hamlet/test/env/postgres';
import { applyToRun } from './apply-to-run.ts';
import { requeueRuns } from './run-upkeep.ts';

const RUNS = process.env['HAMLET_TEST_FULL'] === '1' ? 200 : 20;
const ROUNDS_MAX = 100 * RUNS;
const AGENT = { agentId: 'ada', uid: 'life' } as const;
const LONG_AGO = new Date(0);

let postgres: TestPostgres;
let db: Db;

before(async () => {
  postgres = await testPostgres();
  const appUrl = postgres.url().replace('postgres:hamlet@', 'app:secret@');
  await migrate({ ownerUrl: postgres.url(), appUrl });
  db = openDatabase({ url: appUrl, poolSize: 6, onError: () => undefined });
});
after(async () => {
  await db.destroy();
  await postgres.remove();
});

/** True if the command was accepted. */
async function give(runId: string, command: RunCommand): Promise<boolean> {
  const failed = command.kind === 'settle' && command.state === 'failed';
  const words = failed ? { error: { code: 'failed', message: 'x' } } : {};
  const outcome = await inTransaction(db, (tx) => applyToRun(tx, runId, { command, words, permit: () => null }));
  return outcome.ok;
}

/** Deterministic numbers in 0…1 (Park and Miller). */
function diceOf(seed: number): () => number {
  let word = seed;
  return () => (word = (word * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** A process that has started a run. */
interface Worker {
  readonly runId: string;
  readonly attempt: number;
}

/** The process that did the accepted acts of an attempt. */
type Authors = Map<string, Worker>;

async function take(): Promise<Worker | null> {
  const run = await readNextRun(db, AGENT);
  if (run === null) return null;
  const outcome = await inTransaction(db, (tx) =>
    applyToRun(tx, run.runId, { command: { kind: 'start', cycle: 1 }, words: {}, permit: () => null }),
  );
  assert.ok(outcome.ok);
  const { runId, attempt, state } = outcome.data.run;
  return state === 'running' ? { runId, attempt } : null;
}

/** One act of a process, which may be a process that was replaced long ago. True if it was accepted. */
async function act(worker: Worker, dice: () => number): Promise<boolean> {
  const claim = { cycle: 1, attempt: worker.attempt };
  const choices: readonly RunCommand[] = [
    { kind: 'journal', ...claim },
    { kind: 'renew', ...claim },
    { kind: 'wait', ...claim, pending: true },
    { kind: 'settle', ...claim, state: dice() < 0.5 ? 'done' : 'failed' },
  ];
  return give(worker.runId, choices[Math.floor(dice() * choices.length)] ?? { kind: 'renew', ...claim });
}

/** Ends the lease of a killed process, as 30 seconds of silence would, and lets both replicas requeue at once. */
async function lose(runId: string): Promise<void> {
  const past = new Date(Date.now() - 1_000);
  await db
    .updateTable('run')
    .set({ lease_until: past })
    .where('run_id', '=', runId)
    .where('state', '=', 'running')
    .execute();
  const requeued = await Promise.all([requeueRuns(db, LONG_AGO), requeueRuns(db, LONG_AGO)]);
  assert.ok(requeued[0] + requeued[1] <= 1, 'one replica requeues it');
  const run = await findRun(db, runId);
  assert.ok(run !== null && run.state !== 'running', 'no run stays running without a lease');
}

async function dropEnded(open: Set<string>): Promise<void> {
  for (const runId of open) {
    const run = await findRun(db, runId);
    assert.ok(run !== null, 'a run vanished');
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
  const made = await inTransaction(db, (tx) =>
    insertRuns(
      tx,
      Array.from({ length: RUNS }, () => ({
        agentId: AGENT.agentId,
        agentUid: AGENT.uid,
        kind: 'prompt' as const,
        prompt: 'x',
        createdByRole: 'admin',
        createdById: 'a',
        schedule: null,
      })),
    ),
  );
  const authors: Authors = new Map();
  const replaced: Worker[] = [];
  const open = new Set(made.map(({ runId }) => runId));
  let present: Worker | null = null;
  for (let round = 0; open.size > 0; round += 1) {
    assert.ok(round < ROUNDS_MAX, `${open.size} runs never ended`);
    for (const runId of open) if (dice() < 0.05) await give(runId, { kind: 'resume' });
    present ??= await take();
    if (present === null) {
      // All wait, or the start found that a run has used up its attempts.
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
    const run = await findRun(db, present.runId);
    assert.ok(run !== null, 'a run vanished');
    if (isSettled(run.state)) open.delete(run.runId);
    if (run.state === 'running') continue;
    if (!isSettled(run.state)) replaced.push(present);
    present = null;
  }
  for (const { runId } of made) {
    const run = await findRun(db, runId);
    const events = await readRunEvents(db, runId, { after: 0, limit: 1_000 });
    assert.deepEqual([run?.events, events.at(-1)?.event], [events.length, 'settled']);
  }
});
