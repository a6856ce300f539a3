/** A look at what changed costs the same in a large village as in a small one. HAMLET_AWAY_ROWS=100000 measures a large one. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { migratedPostgres } from '@hamlet/test/env/postgres';
import { AWAY_COUNT_MAX, AWAY_KINDS, UNREAD_MAX } from '@hamlet/contract';
import { sql } from 'kysely';
import { setViewer } from '../board/viewer.ts';
import { inSnapshot, inTransaction, openDatabase } from '../connection/database.ts';
import { readAwayRows } from './away.ts';
import { forgetMarks, markThingsSeen, readLook } from './person-seen.ts';
import { readUnreadPosts, readUnreadSessions } from './unread.ts';

const ROWS = Number(process.env['HAMLET_AWAY_ROWS'] ?? 3_000);
const BUFFERS_MAX = 8_000;
const ME = 'account 1';
/** Posts that only agents see, all newer than the others. */
const HIDDEN = 6_000;

const postgres = await migratedPostgres();
const db = openDatabase({ url: postgres.url(), poolSize: 1, onError: () => undefined });
after(async () => {
  await db.destroy();
  await postgres.remove();
});

/** A row of each table every 20 seconds; every twentieth session is of account 1. */
before(async () => {
  const rows = sql`generate_series(1, ${ROWS}::integer) n`;
  const at = sql`now() - make_interval(secs => n * 20)`;
  const id = (second: number) => sql`uuidv7(make_interval(secs => -n * 20 - ${second}))`;
  await db.connection().execute(async (one) => {
    const fill = async (...statements: readonly ReturnType<typeof sql>[]): Promise<void> => {
      for (const statement of statements) await statement.execute(one);
    };
    await fill(
      sql`set session_replication_role = replica`,
      sql`set statement_timeout = 0`,
      sql`insert into person_seen select ${ME}, thing, now() - interval '60 days' from unnest(array['village', 'board', 'sessions']) thing`,
      sql`insert into run (run_id, agent_id, agent_uid, kind, prompt, created_at, created_by_role, created_by_id, state, attempt, cycle, started_at, ended_at, error_code, error_message)
        select ${id(2)}, 'ada', 'uid', 'prompt', 'Work', ${at}, 'member', ${ME},
          case when n % 100 = 0 then 'failed' else 'done' end, 1, 1, ${at}, ${at},
          case when n % 100 = 0 then 'e' end, case when n % 100 = 0 then 'm' end from ${rows}`,
      sql`insert into session (session_id, agent_id, created_by_role, created_by_id) select ${id(1)}, 'ada', 'member', ${ME} from ${rows} where n % 20 = 0`,
      sql`insert into session_person (session_id, person_id, name) select session_id, ${ME}, 'One' from session`,
      sql`insert into session_message (session_id, number, author_role, author_id, author_name, text, at, state)
        select session_id, number, case number % 2 when 0 then 'agent' else 'member' end, case number % 2 when 0 then 'agent ada' else ${ME} end,
          'Ada', 'Yes.', now() - interval '1 day', 'answered' from session, generate_series(1, 20) number`,
      sql`insert into board.post (post_id, author_type, author_id, author_name, audience, title, body, tags, created_at)
        select ${id(3)}, 'agent', 'ada', 'Ada', 'public', 'News', 'Text', '{}', ${at} from ${rows}`,
      sql`insert into board.reply (reply_id, post_id, author_type, author_id, author_name, body, created_at)
        select uuidv7(make_interval(secs => -extract(epoch from now() - created_at)::integer + 1)), post_id, 'agent', 'ada', 'Ada', 'Text', created_at + interval '1 second' from board.post`,
      sql`insert into firing (firing_id, schedule_uid, slot, fired_at, lease_uid, transitions, made_up, runs)
        select ${id(4)}, 'uid', ${at}, ${at}, 'l', 1, false, '[{"agent_id":"ada","run_id":null,"outcome":"skipped_overlap"}]' from ${rows}`,
      sql`insert into standing_measure (measure_id, agent_id, measure, reason, by_role, by_id, since, lifted_at, lifted_by_role, lifted_by_id)
        select ${id(5)}, 'ada', 'freeze', 'spends', 'admin', 'a', ${at}, ${at}, 'admin', 'a' from ${rows}`,
      sql`insert into account (account_id, name, role, password_hash, created_at) select gen_random_uuid(), 'n' || n, 'member', 'x', ${at} from ${rows}`,
      sql`analyze`,
    );
  });
});

const read = () =>
  inSnapshot(db, async (tx) => {
    await setViewer(tx, { role: 'admin', actor: ME });
    const { since } = await readLook(tx, ME);
    const rows = await readAwayRows(tx, AWAY_KINDS, since ?? new Date());
    return { since, rows, posts: await readUnreadPosts(tx, ME), sessions: await readUnreadSessions(tx, ME) };
  });

test('groups are bounded, and a read touches as many pages at any number of rows', async (context) => {
  const buffersBefore = await buffersRead();
  const begun = performance.now();
  const { since, rows, posts, sessions } = await read();
  const tookMs = performance.now() - begun;
  const buffers = (await buffersRead()) - buffersBefore;
  context.diagnostic(`${ROWS} rows of a kind: ${buffers} buffers, ${tookMs.toFixed(1)} ms`);
  const counts = new Map(rows.map(({ kind, count }) => [kind, count]));
  assert.deepEqual(
    [counts.get('results'), counts.get('restrictions'), counts.get('members'), counts.get('schedules')],
    [AWAY_COUNT_MAX + 1, AWAY_COUNT_MAX + 1, AWAY_COUNT_MAX + 1, undefined],
  );
  assert.equal(counts.get('failures'), Math.min(ROWS / 100, AWAY_COUNT_MAX + 1));
  assert.equal(posts.length, UNREAD_MAX);
  assert.deepEqual([posts[0]?.texts, posts[0]?.isReply], [2, true]);
  assert.equal(sessions.length, UNREAD_MAX);
  assert.deepEqual([sessions[0]?.texts, sessions[0]?.agentId], [10, 'ada']);
  assert.ok(since !== null && Date.now() - since.getTime() < 31 * 86_400_000, 'a look of long ago counts 30 days');
  assert.ok(buffers < BUFFERS_MAX, `${buffers} buffers`);
});

test('marks are only of things that the person may read, never move back, and go after 30 days', async () => {
  const { posts, sessions } = await read();
  const ids = [`post/${posts[0]?.postId}`, `session/${sessions[0]?.sessionId}`];
  const mark = (personId: string, until: Date | null) =>
    inTransaction(db, async (tx) => {
      await setViewer(tx, { role: 'member', actor: personId });
      return markThingsSeen(tx, { personId, things: [...ids, 'post/00000000-0000-0000-0000-000000000000'], until });
    });
  const things = async (personId: string) =>
    (
      await db.selectFrom('person_seen').select(['thing', 'seen_at']).where('person_id', '=', personId).execute()
    ).toSorted((left, right) => left.thing.localeCompare(right.thing));
  await mark('account 2', null);
  assert.deepEqual(
    (await things('account 2')).map(({ thing }) => thing),
    ids.slice(0, 1),
    'the session is of another person',
  );
  await mark(ME, null);
  const [first] = await things(ME).then((all) => all.filter(({ thing }) => thing === ids[0]));
  const future = await mark(ME, new Date(Date.now() + 86_400_000));
  assert.ok(future.getTime() <= Date.now() + 1_000, 'a mark is never in the future');
  await mark(ME, new Date(0));
  const [later] = await things(ME).then((all) => all.filter(({ thing }) => thing === ids[0]));
  assert.ok(first !== undefined && later !== undefined && later.seen_at >= first.seen_at);
  const { posts: unread } = await read();
  assert.ok(!unread.some(({ postId }) => `post/${postId}` === ids[0]));
  await sql`update person_seen set seen_at = now() - interval '31 days'`.execute(db);
  assert.equal(await forgetMarks(db), 3);
  assert.deepEqual(
    (await things(ME)).map(({ thing }) => thing),
    ['board', 'sessions', 'village'],
  );
});

test('a member who may see few of many posts reads the rows of the newest 5,000 alone', async (context) => {
  await db.connection().execute(async (one) => {
    await sql`set session_replication_role = replica`.execute(one);
    await sql`insert into board.post (post_id, author_type, author_id, author_name, audience, title, body, tags)
      select uuidv7(make_interval(secs => n)), 'agent', 'ada', 'Ada', 'agents', 'For agents', 'Text', '{}'
      from generate_series(1, ${HIDDEN}::integer) n`.execute(one);
    await sql`insert into person_seen select 'account 3', 'board', now() - interval '60 days'`.execute(one);
  });
  // The owner of the tables bypasses row-level security; the API does not.
  const app = openDatabase({ url: postgres.appUrl, poolSize: 1, onError: () => undefined });
  const textsOf = (role: 'member' | 'admin') =>
    inSnapshot(app, async (tx) => {
      await setViewer(tx, { role, actor: 'account 3' });
      const begun = performance.now();
      const unread = await readUnreadPosts(tx, 'account 3');
      context.diagnostic(`${role}: ${unread.length} unread, ${(performance.now() - begun).toFixed(1)} ms`);
      return [...new Set(unread.map(({ title, texts }) => `${title} ${texts}`))];
    });
  assert.deepEqual(await textsOf('admin'), ['For agents 1']);
  assert.deepEqual(await textsOf('member'), ['News 1'], 'a reply of the newest ones, and its post behind them');
  await app.destroy();
});

/** Pages of tables and indexes that this database has read. */
async function buffersRead(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ read: string }>`
    select (coalesce(sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read, 0) + coalesce(idx_blks_hit, 0)), 0))::text as read
    from pg_statio_user_tables where schemaname in ('public', 'board', 'ledger')`.execute(db);
  return Number(rows[0]?.read ?? 0);
}
