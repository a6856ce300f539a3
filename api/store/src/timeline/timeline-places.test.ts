/** The pages of a timeline: complete and in order, and as cheap for a long timeline as for a short one. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TIMELINE_KINDS } from '@hamlet/contract';
import { migratedPostgres } from '@hamlet/test/env/postgres';
import { sql } from 'kysely';
import { setViewer } from '../board/viewer.ts';
import { inSnapshot, openDatabase } from '../connection/database.ts';
import { readTimeline, type TimelineFilter, type TimelinePlace } from './timeline-places.ts';

/** Rows of each kind. HAMLET_TIMELINE_ROWS=100000 measures a long timeline. */
const ROWS = Number(process.env['HAMLET_TIMELINE_ROWS'] ?? 3_000);
/** Pages of 8 KiB that a page of 50 entries may read; the count must not depend on ROWS. */
const BUFFERS_MAX = 1_000;
const BEGIN = new Date(0);
const FILTER = { agentId: 'ada', since: BEGIN, kinds: TIMELINE_KINDS, sessionId: null, personId: 'account 1' } as const;

const postgres = await migratedPostgres();
const db = openDatabase({ url: postgres.url(), poolSize: 1, onError: () => undefined });
after(async () => {
  await db.destroy();
  await postgres.remove();
});

/** Rows of ada in seven tables, one of each kind every 10 seconds; two of three conversations are of account 1. */
before(async () => {
  const rows = sql`generate_series(1, ${ROWS}::integer) n`;
  const at = sql`now() - make_interval(secs => n * 10)`;
  const id = (second: number) => sql`uuidv7(make_interval(secs => -n * 10 - ${second}))`;
  await db.connection().execute(async (one) => {
    await sql`set session_replication_role = replica`.execute(one);
    await sql`set statement_timeout = 0`.execute(one);
    // Reads of an automatic vacuum would count.
    for (const table of ['run', 'session', 'session_person', 'board.post', 'standing_measure', 'audit'])
      await sql`alter table ${sql.table(table)} set (autovacuum_enabled = false)`.execute(one);
    await sql`insert into session (session_id, agent_id, created_by_role, created_by_id)
      select ${id(1)}, 'ada', 'member', 'account 1' from generate_series(1, 30) n`.execute(one);
    await sql`insert into session_person (session_id, person_id, name)
      select session_id, 'account ' || case when row_number() over () % 3 = 0 then 2 else 1 end, 'One' from session`.execute(
      one,
    );
    await sql`insert into run (run_id, agent_id, agent_uid, kind, prompt, created_at, created_by_role, created_by_id, session_id)
      select ${id(2)}, 'ada', 'uid', case when n % 2 = 0 then 'prompt' else 'message' end, 'Work', ${at}, 'member', 'account 1',
        case when n % 2 = 1 then (select session_id from session order by session_id offset n % 30 limit 1) end
      from ${rows}`.execute(one);
    await sql`insert into board.post (post_id, author_type, author_id, author_name, audience, title, body, tags)
      select ${id(3)}, 'agent', 'ada', 'Ada', 'public', 'News', 'Text', '{}' from ${rows}`.execute(one);
    await sql`insert into standing_measure (measure_id, agent_id, measure, reason, by_role, by_id, since, lifted_at, lifted_by_role, lifted_by_id)
      select ${id(4)}, 'ada', 'freeze', 'spends', 'admin', 'a', ${at}, ${at}, 'admin', 'a' from ${rows}`.execute(one);
    await sql`insert into audit (audit_id, at, actor_role, actor_id, action, object, detail, request_id)
      select gen_random_uuid(), ${at}, 'agent', 'ada', case when n % 2 = 0 then 'turn' else 'awaken' end, 'ada', '{}', 'r' from ${rows}`.execute(
      one,
    );
    await sql`analyze`.execute(one);
  });
});

async function readPage(filter: TimelineFilter, before: string | null, limit = 50) {
  return inSnapshot(db, async (tx) => {
    await setViewer(tx, { role: 'member', actor: 'account 1' });
    return readTimeline(tx, filter, { before, limit });
  });
}

test('pages have every row once, newest first, without runs of conversations of others', async () => {
  const seen: TimelinePlace[] = [];
  for (let cursor: string | null = null; seen.length < 600;) {
    const page = await readPage(FILTER, cursor);
    seen.push(...page.rows);
    if (page.next === null) break;
    cursor = page.next;
  }
  const places = seen.map(({ place }) => place);
  assert.deepEqual(places, places.toSorted().toReversed());
  assert.equal(new Set(seen.map(({ id }) => id)).size, seen.length);
  const last = places.at(-1) ?? '';
  const { rows } = await sql<{ id: string }>`
    select run_id as id from run where run_id >= ${last}::uuid and (session_id is null
      or session_id in (select session_id from session_person where person_id = 'account 1'))
    union all select session_id from session_person where person_id = 'account 1' and session_id >= ${last}::uuid
    union all select post_id from board.post where post_id >= ${last}::uuid
    union all select measure_id from standing_measure where measure_id >= ${last}::uuid
    union all select audit_id from audit where action = 'awaken' and timeline_place(at, audit_id) >= ${last}::uuid`.execute(
    db,
  );
  assert.deepEqual(seen.map(({ id }) => id).toSorted(), rows.map(({ id }) => id).toSorted());
});

test('an agent that was made again has no rows of the earlier agent of its name', async () => {
  const filter = { ...FILTER, personId: null };
  const { rows: both } = await readPage(filter, null, 100);
  const { rows: moment } = await sql<{ since: Date }>`
    select uuid_extract_timestamp(${both[49]?.place}::uuid) as since`.execute(db);
  const own = await readPage({ ...filter, since: moment[0]?.since ?? BEGIN }, null, 100);
  assert.deepEqual(own, { rows: both.slice(0, 50), next: null });
});

test('the place of an act is the same moment as an id that the database makes', async () => {
  const { rows } = await sql<{ same: boolean; version: number }>`
    select uuid_extract_timestamp(timeline_place(at, gen_random_uuid())) = date_trunc('milliseconds', at) as same,
      uuid_extract_version(timeline_place(at, gen_random_uuid())) as version
    from unnest(array['2026-01-02T03:04:05.678901Z', '1999-12-31T23:59:59.999999Z']::timestamptz[]) at`.execute(db);
  assert.deepEqual(rows, [
    { same: true, version: 7 },
    { same: true, version: 7 },
  ]);
});

test('a page reads the same small part of a long timeline, at its start and deep in it', async (context) => {
  const { rows: deep } = await sql<{ id: string }>`
    select run_id as id from run order by run_id offset ${Math.floor(ROWS / 2)}::integer limit 1`.execute(db);
  for (const personId of ['account 1', null])
    for (const before of [null, deep[0]?.id ?? null]) {
      const buffersBefore = await buffersRead();
      const begun = performance.now();
      await readPage({ ...FILTER, personId }, before);
      const tookMs = performance.now() - begun;
      const buffers = (await buffersRead()) - buffersBefore;
      context.diagnostic(
        `${ROWS} rows of a kind, ${personId}, deep ${before !== null}: ${buffers} buffers, ${tookMs.toFixed(1)} ms`,
      );
      assert.ok(buffers < BUFFERS_MAX, `${buffers} buffers`);
    }
});

/** Pages of tables and indexes that this database has read. */
async function buffersRead(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ read: string }>`
    select (coalesce(sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read, 0) + coalesce(idx_blks_hit, 0)), 0))::text as read
    from pg_statio_user_tables where relname in ('run', 'session', 'session_person', 'post', 'reply', 'standing_measure', 'audit', 'firing', 'transfer', 'purchase')`.execute(
    db,
  );
  return Number(rows[0]?.read ?? 0);
}
