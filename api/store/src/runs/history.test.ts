/** Which ended runs are deleted, and what that locks, on a real Postgres. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { inTransaction } from '../connection/database.ts';
import { insertJournal, makeRoom } from '../journal/write-journal.ts';
import { testLedger } from '../ledger/testing/test-ledger.ts';
import { deleteEndedRuns, pruneRuns } from './history.ts';
import { lockRun } from './lock-order.ts';

const ledger = await testLedger(8);
const { db, owner } = ledger;

/** Adds runs in one state; the newest last. Returns their ids. */
async function addRuns(agent: string, count: number, more: Readonly<Record<string, unknown>> = {}): Promise<string[]> {
  const run = {
    agent_id: agent,
    agent_uid: agent,
    kind: 'prompt',
    state: 'cancelled',
    prompt: 'x',
    created_by_role: 'admin',
    created_by_id: 'a',
    ...more,
  };
  const { rows } = await sql<{ run_id: string }>`
    insert into run select made.* from generate_series(1, ${count}::integer) number,
      jsonb_populate_record(null::run, jsonb_build_object('run_id', uuidv7(), 'created_at', now(), 'ended_at', now(), 'attempt', 0, 'progress_attempt', 0, 'events', 0, 'steps', 0,
          'tokens', 0, 'cost_micros', 0, 'claimed_tokens', 0, 'claimed_cost_micros', 0, 'depth', ${more['parent_run_id'] === undefined ? 0 : 1}::integer,
          'unsettled', '{}'::text[], 'worked_ms', 0, 'parent_call_id', case when ${more['parent_run_id'] === undefined}::boolean then null else number::text end) || ${JSON.stringify(run)}::jsonb) made
    returning run_id`.execute(owner);
  return rows.map(({ run_id }) => run_id).toSorted();
}

const LIVE = { state: 'running', ended_at: null, attempt: 1, cycle: 1, started_at: new Date().toISOString() };

const countOf = async (agent: string): Promise<number> =>
  (await db.selectFrom('run').select('run_id').where('agent_id', '=', agent).execute()).length;

test('the newest 1,000 ended runs of an agent stay, and of its workers the newest 100', async () => {
  const ids = await addRuns('crowded', 1_004);
  const [parent = ''] = ids.slice(-1);
  await addRuns('crowded', 102, { kind: 'worker', parent_run_id: parent, role: 'r', budgets: {} });
  await addRuns('few', 3);
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
  const [worker = ''] = await addRuns('deep', 1, { kind: 'worker', parent_run_id: root, role: 'r', budgets: {} });
  await addRuns('deep', 1, {
    kind: 'worker',
    parent_run_id: worker,
    role: 'r',
    budgets: {},
    state: 'queued',
    ended_at: null,
  });
  const isDeep = sql`agent_id = 'deep'`;
  assert.equal(await inTransaction(db, (tx) => deleteEndedRuns(tx, isDeep)), 0);
  await db
    .updateTable('run')
    .set({ state: 'cancelled' })
    .where('agent_id', '=', 'deep')
    .where('state', '=', 'queued')
    .execute();
  await inTransaction(db, (tx) => deleteEndedRuns(tx, isDeep));
  assert.equal(await countOf('deep'), 0);
});

test('an agent stores its journal while its old runs are deleted, and neither waits for the other in a circle', async () => {
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
  for (let round = 0; round < 8; round += 1) {
    const old = await addRuns('writer', 12);
    for (const id of old) await store(id, (seq += 1));
    const [live = ''] = await addRuns('writer', 1, LIVE);
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
