/** Which rows of a deleted agent go, and when, on a real Postgres. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { inTransaction } from '../connection/database.ts';
import { insertJournal, makeRoom } from '../journal/write-journal.ts';
import { testLedger } from '../ledger/testing/test-ledger.ts';
import { lockRun } from '../runs/lock-order.ts';
import { insertRuns } from '../runs/new-runs.ts';
import { forgetLife, readLivesToForget } from './forget-lives.ts';
import { closeLife, openLife } from './lives.ts';

const { db, owner } = await testLedger(4);

/** A life of `ada` with a run in each state, a journal, a mark and an allow rule. */
async function live(uid: string): Promise<void> {
  await openLife(db, uid, 'ada');
  const run = { agentId: 'ada', agentUid: uid, kind: 'prompt', prompt: 'x', schedule: null } as const;
  await inTransaction(db, async (tx) => {
    const [made] = await insertRuns(tx, [{ ...run, createdByRole: 'admin', createdById: 'a' }]);
    const locked = made === undefined ? null : await lockRun(tx, made.runId);
    assert.ok(locked);
    const event = { v: 1, type: 'interrupted', run: locked.runId, stage: 'main', fence: 1, at: 0, elapsedMs: 0 };
    const journal = { fresh: [{ seq: 1, event }], payloads: [{ ref: 'text'.padEnd(22, '_'), text: 'a text' }] };
    await makeRoom(tx, locked, journal);
    await insertJournal(tx, locked, journal);
    await sql`insert into memory_taint (agent_uid, memory_id, run_id) values (${uid}, 'm-1', ${locked.runId})`.execute(
      tx,
    );
    await sql`insert into allow_rule (agent_id, agent_uid, tool, permission_id, created_by_role, created_by_id, created_by_name)
      values ('ada', ${uid}, 'write_file', gen_random_uuid(), 'admin', 'a', 'A')`.execute(tx);
    await sql`update run set state = 'cancelled', ended_at = clock_timestamp() where run_id = ${locked.runId}`.execute(
      tx,
    );
  });
}

/** The number of rows of a life in each table that keeps it. */
async function rowsOf(uid: string): Promise<Readonly<Record<string, number>>> {
  const tables = ['run', 'journal_entry', 'payload', 'journal_size', 'memory_taint', 'allow_rule'];
  const counts = tables.map(async (table) => {
    const { rows } = await sql<{ readonly count: number }>`
      select count(*)::int from ${sql.table(table)} where agent_uid = ${uid}`.execute(db);
    return [table, rows[0]?.count ?? 0] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}

const endedDaysAgo = (uid: string, days: number): Promise<unknown> =>
  sql`update agent_life set opened_at = opened_at - interval '1 year', closed_at = now() - ${days} * interval '1 day' where uid = ${uid}`.execute(
    owner,
  );

test('90 days after its end a life is forgotten once; a newer life of the same name keeps its own', async () => {
  for (const uid of ['first', 'second', 'third']) await live(uid);
  await closeLife(db, 'second', 'ada');
  await endedDaysAgo('first', 91);
  await endedDaysAgo('second', 89);
  const whole = await rowsOf('first');
  assert.ok(
    Object.values(whole).every((count) => count === 1),
    JSON.stringify(whole),
  );
  const lives = await readLivesToForget(db);
  assert.deepEqual(lives, [{ uid: 'first', agentId: 'ada' }]);
  for (const life of lives) assert.equal(await forgetLife(db, life), true);
  assert.ok(Object.values(await rowsOf('first')).every((count) => count === 0));
  assert.deepEqual([await rowsOf('second'), await rowsOf('third')], [whole, whole]);
  assert.deepEqual(await readLivesToForget(db), []);
});

test('a life with a run that has not ended is forgotten after that run has ended', async () => {
  await live('busy');
  await closeLife(db, 'busy', 'ada');
  await endedDaysAgo('busy', 91);
  const run = { agentId: 'ada', agentUid: 'busy', kind: 'prompt', prompt: 'x', schedule: null } as const;
  await inTransaction(db, (tx) => insertRuns(tx, [{ ...run, createdByRole: 'admin', createdById: 'a' }]));
  assert.equal(await forgetLife(db, { uid: 'busy', agentId: 'ada' }), false);
  assert.deepEqual(await readLivesToForget(db), [{ uid: 'busy', agentId: 'ada' }]);
  await sql`update run set state = 'cancelled', ended_at = clock_timestamp() where agent_uid = 'busy'`.execute(db);
  assert.equal(await forgetLife(db, { uid: 'busy', agentId: 'ada' }), true);
});
