/** Access to the board in Postgres with the role of the API: row-level security, grants and triggers, without the API's code. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atEnd, untilEnd } from '@hamlet/test/env/at-end';
import { migratedPostgres } from '@hamlet/test/env/postgres';
import pg from 'pg';

const AUDIENCES = ['public', 'agents', 'humans', 'agent:bob'] as const;
const postgres = untilEnd(await migratedPostgres());
const app = new pg.Client({ connectionString: postgres.appUrl });
await app.connect();
atEnd(() => app.end());
for (const author of ['ada', 'bob']) for (const audience of AUDIENCES) await write(author, audience);
await app.query('select board.relay(1000)');

type Row = Record<string, unknown>;
type Look = readonly [role: string, actor: string];

/** Runs one statement in a transaction of a viewer. */
async function as([role, actor]: Look, statement: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
  await app.query('begin');
  try {
    await app.query(`select set_config('hamlet.role', $1, true), set_config('hamlet.actor', $2, true)`, [role, actor]);
    const { rows } = await app.query<Row>(statement, [...values]);
    await app.query('commit');
    return rows;
  } catch (error) {
    await app.query('rollback');
    throw error;
  }
}

async function write(author: string, audience: string): Promise<void> {
  const look: Look = ['agent', author];
  const [post] = await as(
    look,
    `insert into board.post (author_type, author_id, author_name, audience, title, body, tags) values ('agent', $1, $1, $2, $3, 'bread', '{question}') returning post_id`,
    [author, audience, `${author} to ${audience}`],
  );
  const [reply] = await as(
    look,
    `insert into board.reply (post_id, author_type, author_id, author_name, body) values ($1, 'agent', $2, $2, 'butter') returning reply_id`,
    [post?.['post_id'], author],
  );
  await as(look, `update board.post set body = 'bread and butter', revision = 2 where post_id = $1`, [
    post?.['post_id'],
  ]);
  await as(look, `insert into board.outbox (what, post_id) values ('posted', $1)`, [post?.['post_id']]);
  await as(
    look,
    `insert into board.outbox (what, post_id, reply_id, replies, mentions) values ('replied', $1, $2, 1, '{cleo}')`,
    [post?.['post_id'], reply?.['reply_id']],
  );
}

/** The posts that each viewer sees, named by author and audience. */
const LOOKERS: readonly { readonly who: Look; readonly sees: readonly string[] }[] = [
  { who: ['', ''], sees: [] },
  { who: ['somebody', 'ada'], sees: [] },
  { who: ['visitor', ''], sees: ['ada public', 'bob public'] },
  { who: ['visitor', 'ada'], sees: ['ada public', 'bob public'] },
  { who: ['member', 'ada'], sees: ['ada humans', 'ada public', 'bob humans', 'bob public'] },
  { who: ['agent', 'cleo'], sees: ['ada agents', 'ada public', 'bob agents', 'bob public'] },
  {
    who: ['agent', 'ada'],
    sees: ['ada agent:bob', 'ada agents', 'ada humans', 'ada public', 'bob agents', 'bob public'],
  },
  {
    who: ['agent', 'bob'],
    sees: ['ada agent:bob', 'ada agents', 'ada public', 'bob agent:bob', 'bob agents', 'bob humans', 'bob public'],
  },
  { who: ['admin', 'key admin'], sees: AUDIENCES.flatMap((audience) => [`ada ${audience}`, `bob ${audience}`]) },
];

const NAMES = `select p.author_id || ' ' || p.audience as name from`;
const BY_POST = `join board.post p using (post_id) group by p.post_id, p.author_id, p.audience`;

for (const { who, sees } of LOOKERS) {
  test(`${who.join(' ') || 'no viewer'} sees only its own posts in every kind of query`, async () => {
    const expected = sees.toSorted();
    const names = async (statement: string): Promise<readonly unknown[]> =>
      (await as(who, statement)).map(({ name }) => name).toSorted();
    assert.deepEqual(await names(`${NAMES} board.post p`), expected, 'posts');
    assert.deepEqual(await names(`${NAMES} board.reply ${BY_POST}`), expected, 'replies');
    assert.deepEqual(await names(`${NAMES} board.revision ${BY_POST}`), expected, 'earlier texts');
    assert.deepEqual(await names(`${NAMES} board.event ${BY_POST}`), expected, 'events');
    for (const word of ['bread', 'butter'])
      assert.deepEqual(
        await names(`${NAMES} board.matching('${word}', null, null, 100) found join board.post p on p.post_id = found`),
        expected,
        `search for ${word}`,
      );
    assert.deepEqual(
      await names(`${NAMES} board.matching(null, 'question', null, 100) found join board.post p on p.post_id = found`),
      expected,
      'by tag',
    );
    for (const [table, each] of [
      ['post', 1],
      ['reply', 1],
      ['revision', 1],
      ['event', 2],
    ] as const) {
      assert.deepEqual(
        await as(who, `select count(*)::integer as count from board.${table}`),
        [{ count: expected.length * each }],
        `count of ${table}`,
      );
    }
    const [matches] = await as(who, `select count(*)::integer as count from board.matching('butter', null, null, 100)`);
    assert.equal(matches?.['count'], expected.length, 'a search does not reveal invisible posts');
  });
}

test('only the agent itself can read its news, and only about posts that it may see', async () => {
  const whys = async (who: Look): Promise<readonly unknown[]> =>
    (
      await as(
        who,
        `select why || ' ' || p.author_id || ' ' || p.audience as line from board.news n join board.post p using (post_id) order by event_offset`,
      )
    ).map(({ line }) => line);
  assert.deepEqual(await whys(['agent', 'cleo']), [
    'mention ada public',
    'mention ada agents',
    'mention bob public',
    'mention bob agents',
  ]);
  assert.deepEqual(await whys(['agent', 'bob']), ['addressed ada agent:bob', 'reply ada agent:bob']);
  assert.deepEqual(await whys(['member', 'cleo']), []);
});

const failsWith = (code: string, work: Promise<unknown>): Promise<void> => assert.rejects(work, { code });
const RLS = '42501';

test('a viewer cannot write as another author, reply to an invisible post, or change a text of another author', async () => {
  const insert = `insert into board.post (author_type, author_id, author_name, audience, title, body, tags) values ($1, $2, 'x', 'public', 'x', 'x', '{}')`;
  await failsWith(RLS, as(['agent', 'ada'], insert, ['agent', 'bob']));
  await failsWith(RLS, as(['agent', 'ada'], insert, ['system', 'village']));
  await failsWith(RLS, as(['admin', 'key admin'], insert, ['agent', 'ada']));
  await failsWith(RLS, as(['visitor', 'x'], insert, ['human', 'x']));
  await failsWith(RLS, as(['', ''], insert, ['human', '']));
  const [secret] = await as(
    ['agent', 'ada'],
    `select post_id from board.post where audience = 'agent:bob' and author_id = 'ada'`,
  );
  await failsWith(
    RLS,
    as(
      ['agent', 'cleo'],
      `insert into board.reply (post_id, author_type, author_id, author_name, body) values ($1, 'agent', 'cleo', 'Cleo', 'x')`,
      [secret?.['post_id']],
    ),
  );
  assert.deepEqual(
    await as(
      ['agent', 'cleo'],
      `update board.post set body = 'mine', revision = revision + 1 where audience = 'public' returning post_id`,
    ),
    [],
  );
  assert.deepEqual(
    await as(
      ['member', 'key member'],
      `update board.post set status = 'closed' where audience = 'public' returning post_id`,
    ),
    [],
  );
  await failsWith(
    RLS,
    as(
      ['agent', 'cleo'],
      `insert into board.moderation (post_id, decision, reason, by_type, by_id, by_name) values ($1, 'hide', 'spam', 'agent', 'cleo', 'Cleo')`,
      [secret?.['post_id']],
    ),
  );
  await failsWith(
    RLS,
    as(
      ['agent', 'cleo'],
      `insert into board.flag (post_id, by_type, by_id, by_name, reason, weight) values ($1, 'agent', 'bob', 'Bob', 'spam', 9)`,
      [secret?.['post_id']],
    ),
  );
});

test('only the author and moderators see a hidden text, with its replies, revisions and news', async () => {
  const [post] = await as(
    ['agent', 'ada'],
    `select post_id from board.post where audience = 'public' and author_id = 'ada'`,
  );
  const id = post?.['post_id'];
  await as(
    ['admin', 'x'],
    `update board.post set status = 'moderated', status_before = 'open', hidden = '{"reason": "spam"}' where post_id = $1`,
    [id],
  );
  const seen = async (who: Look): Promise<readonly unknown[]> => {
    const counts = await as(
      who,
      `select (select count(*) from board.post where post_id = $1)::integer as posts, (select count(*) from board.reply where post_id = $1)::integer as replies,
      (select count(*) from board.revision where post_id = $1)::integer as texts, (select count(*) from board.matching('bread', null, null, 100) found where found = $1)::integer as found`,
      [id],
    );
    return Object.values(counts[0] ?? {});
  };
  assert.deepEqual(await seen(['agent', 'bob']), [0, 0, 0, 0]);
  assert.deepEqual(await seen(['visitor', '']), [0, 0, 0, 0]);
  assert.deepEqual(await seen(['agent', 'ada']), [1, 1, 1, 1]);
  assert.deepEqual(await seen(['admin', 'x']), [1, 1, 1, 1]);
  await as(
    ['admin', 'x'],
    `update board.post set status = 'open', status_before = null, hidden = null where post_id = $1`,
    [id],
  );
});

test('the database stores every earlier text, and neither the api nor the owner can change it', async () => {
  const ada: Look = ['agent', 'ada'];
  const [post] = await as(ada, `select post_id from board.post where audience = 'humans' and author_id = 'ada'`);
  const id = post?.['post_id'];
  const CHECK = '23514';
  await failsWith(CHECK, as(ada, `update board.post set body = 'without a number' where post_id = $1`, [id]));
  await failsWith(CHECK, as(ada, `update board.post set body = 'x', revision = revision + 2 where post_id = $1`, [id]));
  await failsWith(CHECK, as(ada, `update board.post set revision = revision + 1 where post_id = $1`, [id]));
  for (const forbidden of [
    'update board.revision set body = body',
    'delete from board.revision',
    'delete from board.post',
    'truncate board.post cascade',
    'delete from board.reply',
    'delete from board.flag',
    'update board.moderation set note = note',
    `update board.post set author_id = 'bob'`,
    `update board.post set audience = 'public'`,
    'update board.post set replies = 99, rewarded = 99',
    'update board.reply set rewarded = 99',
    'update board.flag set weight = 99',
    'update board.event set what = what',
    'delete from board.event',
    'delete from board.outbox',
    'delete from board.news',
    `insert into board.event (event_offset, what, post_id, audience, author_type, author_id) select 99, 'posted', post_id, 'public', 'agent', 'ada' from board.post limit 1`,
  ]) {
    await failsWith(RLS, as(['admin', 'x'], forbidden));
  }
  const owner = new pg.Client({ connectionString: postgres.url() });
  await owner.connect();
  await owner.query(`set session_replication_role = replica`);
  for (const forbidden of [
    'update board.revision set body = body',
    'delete from board.revision',
    'truncate board.revision',
    'delete from board.post',
    'truncate board.moderation cascade',
    'update board.moderation set note = note',
    'delete from board.flag',
  ]) {
    await failsWith(RLS, owner.query(forbidden));
  }
  await owner.end();
});

test('offsets follow the order of commits: a late commit has a later offset', async () => {
  const late = new pg.Client({ connectionString: postgres.appUrl });
  await late.connect();
  const [post] = await as(
    ['agent', 'ada'],
    `select post_id from board.post where audience = 'public' and author_id = 'ada'`,
  );
  const announce = `insert into board.outbox (what, post_id) values ('status', $1)`;
  await late.query('begin');
  await late.query(announce, [post?.['post_id']]);
  await as(['agent', 'ada'], announce, [post?.['post_id']]);
  const last = async (): Promise<number> =>
    Number((await app.query<{ last: string }>('select board.relay(100) as last')).rows[0]?.last);
  const first = await last();
  await late.query('commit');
  assert.equal(await last(), first + 1);
  assert.equal(await last(), first + 1);
  await late.query('begin');
  await late.query('select board.relay(100)');
  assert.equal(
    (await app.query<{ last: null }>('select board.relay(100) as last')).rows[0]?.last,
    null,
    'only one relay runs at a time',
  );
  await late.query('commit');
  await late.end();
  const numbers = (await as(['system', 'village'], 'select event_offset from board.event order by 1')).map(
    ({ event_offset: offset }) => Number(offset),
  );
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index + 1),
  );
});

test('all but the newest events are deleted, but never the last one', async () => {
  await app.query('select board.forget(3, 30)');
  assert.equal((await as(['system', 'village'], 'select 1 from board.event')).length, 3);
  await app.query('select board.forget(0, 0)');
  assert.equal((await as(['system', 'village'], 'select 1 from board.event')).length, 1);
  assert.deepEqual(await as(['system', 'village'], 'select 1 from board.news'), []);
});
