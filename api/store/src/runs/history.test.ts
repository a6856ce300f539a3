/** Deletion of ended runs, and its locks, on a real Postgres. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cases } from '@hamlet/test/env/seeded';
import { sql } from 'kysely';
import type { RunBudgets } from '@hamlet/contract';
import { inTransaction } from '../connection/database.ts';
import { insertJournal, makeRoom } from '../journal/write-journal.ts';
import { testLedger } from '../ledger/testing/test-ledger.ts';
import { deleteEndedRuns, pruneRuns } from './history.ts';
import { lockRun } from './lock-order.ts';
import { insertRuns } from './new-runs.ts';

const ledger = await testLedger(8);
const { db, owner } = ledger;

const BUDGETS = { tokens: 1, money: '0', steps: 1, timeMs: 1 } as unknown as RunBudgets;

/** Adds waiting runs of an agent, or workers of a run. Returns their ids, the newest last. */
async function addRuns(agentId: string, count: number, parent?: { id: string; depth: number }): Promise<string[]> {
  const run = { agentId, agentUid: agentId, prompt: 'x', createdByRole: 'admin', createdById: 'a', schedule: null };
  const workerAt = (at: number) =>
    parent === undefined
      ? undefined
      : {
          parentRunId: parent.id,
          callId: `${at}`,
          role: 'r',
          depth: parent.depth + 1,
          budgets: BUDGETS,
          toolLists: [],
        };
  const made = await inTransaction(db, (tx) =>
    insertRuns(
      tx,
      Array.from({ length: count }, (_, at) => ({
        ...run,
        kind: parent === undefined ? 'prompt' : 'worker',
        worker: workerAt(at),
      })),
    ),
  );
  return made.map(({ runId }) => runId).toSorted();
}

async function end(ids: readonly string[]): Promise<void> {
  await sql`update run set state = 'cancelled', ended_at = clock_timestamp() where run_id = any(${[...ids]}::uuid[])`.execute(
    db,
  );
}

async function addEnded(...given: Parameters<typeof addRuns>): Promise<string[]> {
  const ids = await addRuns(...given);
  await end(ids);
  return ids;
}

const countOf = async (agent: string): Promise<number> =>
  (await db.selectFrom('run').select('run_id').where('agent_id', '=', agent).execute()).length;

test('the newest 1,000 ended runs of an agent stay, and of its workers the newest 100', async () => {
  const ids = await addEnded('crowded', 1_004);
  await addEnded('crowded', 102, { id: ids.at(-1) ?? '', depth: 0 });
  await addEnded('few', 3);
  await pruneRuns(db);
  assert.deepEqual([await countOf('crowded'), await countOf('few')], [1_100, 3]);
  const left = new Set((await db.selectFrom('run').select('run_id').execute()).map(({ run_id }) => run_id));
  assert.deepEqual(
    ids.slice(0, 6).map((id) => left.has(id)),
    [false, false, false, false, true, true],
  );
});

test('an ended run stays while a worker at any depth below it is under way', async () => {
  const [root = ''] = await addRuns('deep', 1);
  const [worker = ''] = await addRuns('deep', 1, { id: root, depth: 0 });
  const [grandchild = ''] = await addRuns('deep', 1, { id: worker, depth: 1 });
  await end([root, worker]);
  const isDeep = sql`agent_id = 'deep'`;
  assert.equal(await inTransaction(db, (tx) => deleteEndedRuns(tx, isDeep)), 0);
  await end([grandchild]);
  await inTransaction(db, (tx) => deleteEndedRuns(tx, isDeep));
  assert.equal(await countOf('deep'), 0);
});

test('an agent stores its journal while its old runs are deleted, without a deadlock', async () => {
  const event = { v: 1, type: 'interrupted', stage: 'main', fence: 1, at: 0, elapsedMs: 0 };
  const store = (runId: string, seq: number) =>
    inTransaction(db, async (tx) => {
      const run = await lockRun(tx, runId);
      assert.ok(run !== null);
      const journal = {
        fresh: [{ seq, event: { ...event, run: runId } }],
        payloads: [{ ref: 'shared'.padEnd(22, '_'), text: 'a text of several runs' }],
      };
      await makeRoom(tx, run, journal);
      await insertJournal(tx, run, journal);
    });
  let seq = 0;
  for (let round = 0; round < cases(2, 20); round += 1) {
    const old = await addRuns('writer', 12);
    for (const id of old) await store(id, (seq += 1));
    await end(old);
    const [live = ''] = await addRuns('writer', 1);
    const acts = Array.from({ length: 12 }, () => store(live, (seq += 1)));
    await Promise.all([
      ...acts,
      ...old.map((id) => inTransaction(db, (tx) => deleteEndedRuns(tx, sql`run_id = ${id}`))),
    ]);
  }
  const { rows } = await sql<{ deadlocks: number }>`
    select deadlocks::integer from pg_stat_database where datname = current_database()`.execute(owner);
  assert.equal(rows[0]?.deadlocks, 0);
});
