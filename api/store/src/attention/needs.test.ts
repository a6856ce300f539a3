/** Needs are found at the same cost in a long history as in a short one. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { migratedPostgres } from '@hamlet/test/env/postgres';
import { sql } from 'kysely';
import { inTransaction, openDatabase } from '../connection/database.ts';
import { setViewer } from '../board/viewer.ts';
import { readBusyHours, readNearlySpent, readNeeds } from './needs.ts';

/** Rows of each table. HAMLET_NEEDS_ROWS=100000 measures a long history. */
const ROWS = Number(process.env['HAMLET_NEEDS_ROWS'] ?? 3_000);
/** Pages of 8 KiB that a reading may use; the count must not depend on ROWS. */
const BUFFERS_MAX = 2_000;
const KINDS = [
  'permission',
  'question',
  'result',
  'parked',
  'stopped',
  'failing',
  'moderation',
  'difference',
  'credit',
] as const;

const postgres = await migratedPostgres();
const db = openDatabase({ url: postgres.url(), poolSize: 1, onError: () => undefined });
after(async () => {
  await db.destroy();
  await postgres.remove();
});

/** A history of settled things of 50 agents, one a minute, every tenth run failed; and a few things that wait. */
before(async () => {
  const rows = sql`generate_series(1, ${ROWS}::integer) n`;
  const at = sql`now() - make_interval(mins => n)`;
  const id = sql`uuidv7(make_interval(mins => -n))`;
  await db.connection().execute(async (one) => {
    await sql`set session_replication_role = replica`.execute(one);
    await sql`set statement_timeout = 0`.execute(one);
    await sql`insert into run (run_id, agent_id, agent_uid, kind, prompt, state, attempt, cycle, created_at, started_at, ended_at, created_by_role, created_by_id, error_code, error_message)
      select ${id}, 'agent-' || n % 50, 'uid', 'prompt', 'Work', case when n % 10 = 0 then 'failed' else 'done' end, 1, 1, ${at}, ${at}, ${at}, 'member', 'mia',
        case when n % 10 = 0 then 'no_progress' end, case when n % 10 = 0 then 'It repeats itself.' end
      from ${rows}`.execute(one);
    // The triggers would refuse permissions of ended runs.
    await sql`alter table permission disable trigger user`.execute(one);
    await sql`insert into permission (permission_id, run_id, agent_id, request, call_id, tool, arguments, arguments_hash, why, reason, policy_version, state, asked_at, expires_at)
      select ${id}, run_id, agent_id, n::text, '1.0', 'shell', '{}', sha256('{}'), 'policy', '', repeat('a', 64), case when n <= 3 then 'pending' else 'withdrawn' end, ${at}, now() + interval '1 hour'
      from ${rows} join lateral (select run_id, agent_id from run limit 1) r on true`.execute(one);
    await sql`insert into board.flag (post_id, by_type, by_id, by_name, reason, weight, settled_by)
      select ${id}, 'human', 'mia', 'Mia', 'spam', 1, case when n > 3 then ${id} end from ${rows}`.execute(one);
    await sql`insert into difference (kind, provider, transaction_id, owner, settled_at)
      select 'only_ours', 'paypal', 'T' || n, 'mia', case when n > 3 then now() end from ${rows}`.execute(one);
    await sql`analyze`.execute(one);
  });
});

const filter = (role: string, id: string) => ({
  reader: { role, id },
  kinds: KINDS,
  parkedCodes: ['auth'],
  stoppedCodes: ['no_progress'],
});

async function read(role: string, id: string) {
  return inTransaction(db, async (tx) => {
    await setViewer(tx, { role: 'admin', actor: id });
    const spent = await readNearlySpent(tx, { role, id }, 0.8);
    return [...(await readNeeds(tx, filter(role, id))), ...spent, ...(await readBusyHours(tx, 1))];
  });
}

async function buffersRead(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ read: number }>`
    select (blks_read + blks_hit)::float8 as read from pg_stat_database where datname = current_database()`.execute(db);
  return rows[0]?.read ?? 0;
}

test('needs are read with few pages, for a member and an admin', async (context) => {
  for (const [role, id] of [
    ['admin', 'grace'],
    ['member', 'mia'],
  ] as const) {
    await read(role, id);
    const buffersBefore = await buffersRead();
    const begun = performance.now();
    const found = await read(role, id);
    const tookMs = performance.now() - begun;
    const buffers = (await buffersRead()) - buffersBefore;
    context.diagnostic(`${ROWS} rows, ${role}: ${found.length} needs, ${buffers} buffers, ${tookMs.toFixed(1)} ms`);
    assert.ok(found.length >= 6, `${found.length}`);
    assert.ok(buffers < BUFFERS_MAX, `${buffers} buffers`);
  }
});

test('an agent that asks for hundreds of permissions does not hide the request of another', async () => {
  await sql`
    insert into permission (permission_id, run_id, agent_id, request, call_id, tool, arguments, arguments_hash, why, reason, policy_version, state, asked_at, expires_at)
    select uuidv7(), run_id, case when n = 301 then 'late' else 'flood' end, 'f' || n, '1.0', 'shell', '{}', sha256('{}'), 'policy', '', repeat('a', 64), 'pending',
      now() + make_interval(secs => n), now() + interval '1 hour'
    from generate_series(1, 301) n join lateral (select run_id from run limit 1) r on true`.execute(db);
  const found = await inTransaction(db, async (tx) => {
    await setViewer(tx, { role: 'admin', actor: 'grace' });
    return readNeeds(tx, { ...filter('admin', 'grace'), kinds: ['permission'] });
  });
  const askedBy = (id: string): number => found.filter(({ agentId }) => agentId === id).length;
  assert.deepEqual([askedBy('flood'), askedBy('late')], [5, 1]);
});
