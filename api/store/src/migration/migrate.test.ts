import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { untilEnd } from '@hamlet/test/env/at-end';
import { ownPostgres } from '@hamlet/test/env/postgres';
import { sql } from 'kysely';
import pg from 'pg';
import { openDatabase } from '../connection/database.ts';
import { migrate, missingMigrations } from './migrate.ts';

const postgres = untilEnd(await ownPostgres('empty'));
const appUrl = postgres.url().replace('postgres:hamlet@', 'app:secret@');

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

test('concurrent replicas apply every migration once, and a later start applies none', async () => {
  const all = await Promise.all([1, 2, 3].map(() => migrate({ ownerUrl: postgres.url(), appUrl })));
  assert.deepEqual(
    all.flat(),
    (await readdir(resolve(import.meta.dirname, '../../migrations'))).filter((name) => name.endsWith('.sql')).sort(),
  );
  assert.deepEqual(await migrate({ ownerUrl: postgres.url(), appUrl }), []);
});

test('the app role has no DDL and cannot change append-only tables', async () => {
  const refused = [
    'create table mine (id int)',
    'drop table turn',
    'alter table audit disable trigger append_only',
    'truncate world_event',
    'delete from audit',
    'delete from run_event',
    "update run_event set detail = '{}'",
    "update firing set runs = '[]'",
    "update turn set turn = '{}'",
    'update world_event set tick = 0',
  ];
  await withClient(appUrl, async (app) => {
    for (const statement of refused) await assert.rejects(app.query(statement), { code: '42501' }, statement);
  });
});

test('the owner cannot rewrite history either', async () => {
  await withClient(postgres.url(), (owner) => assert.rejects(owner.query('delete from audit'), /append-only/));
});

test('the app role can list the missing migrations, even on a schema that is too old', async () => {
  const [db, owner] = [appUrl, postgres.url()].map((url) =>
    openDatabase({ url, poolSize: 1, onError: () => undefined }),
  );
  assert.ok(db !== undefined && owner !== undefined);
  try {
    assert.deepEqual(await missingMigrations(db), []);
    await sql`create table kept as select * from schema_migration`.execute(owner);
    await sql`delete from schema_migration where name = '0011_people.sql'`.execute(owner);
    assert.deepEqual(await missingMigrations(db), ['0011_people.sql']);
    await sql`revoke select on schema_migration from app`.execute(owner);
    assert.ok((await missingMigrations(db)).length > 10);
    await sql`insert into schema_migration select * from kept on conflict do nothing`.execute(owner);
  } finally {
    await Promise.all([db.destroy(), owner.destroy()]);
  }
});

test('a database that applied the second text of a landed migration takes the later ones', async () => {
  const second = 'cd6f5a9f089a33a9abc66f483ebd0344f5fc76866f507a651634296e7e6a73bf';
  await withClient(postgres.url(), async (owner) => {
    await owner.query("update schema_migration set sha256 = $1 where name = '0064_model_health.sql'", [second]);
    await owner.query("delete from schema_migration where name = '0075_words_of_providers.sql'");
  });
  assert.deepEqual(await migrate({ ownerUrl: postgres.url(), appUrl }), ['0075_words_of_providers.sql']);
});

test('a database with a different version of a migration is refused with the fix', async () => {
  await withClient(postgres.url(), (owner) =>
    owner.query("update schema_migration set sha256 = 'another' where name = '0002_ledger.sql'"),
  );
  await assert.rejects(
    migrate({ ownerUrl: postgres.url(), appUrl }),
    /0002_ledger\.sql differs from the file that this database has applied\. Fix: run the version/,
  );
});

test('the reader role can read the world but no secrets', async () => {
  await withClient(postgres.url(), async (owner) => {
    await owner.query('set role reader');
    await owner.query('select * from world_event');
    for (const table of ['account', 'account_session', 'api_key', 'agent_session', 'idempotency_key'])
      await assert.rejects(owner.query(`select * from ${table}`), { code: '42501' }, table);
  });
});

/** Columns with these names contain private texts of people and agents. */
const TEXTS = /^(prompt|answer|text|turn|summary|error_message|detail|arguments|question|reply|outcome|message|event)$/;
/** Readable columns with such a name but without private texts. */
const HARMLESS = new Set([
  'bid.outcome',
  'permission.answer',
  'audit.detail',
  'model_request.outcome',
  'run_event.event',
  'world_event.event',
]);

test('the reader role can read runs, permissions and turns without their texts, and no sessions', async () => {
  const owner = new pg.Client({ connectionString: postgres.url() });
  await owner.connect();
  const { rows } = await owner.query<{ name: string; column: string }>(`
    select c.table_name as name, c.column_name as column from information_schema.columns c
    where c.table_schema = 'public' and has_column_privilege('reader', format('public.%I', c.table_name), c.column_name, 'select')`);
  const readable = rows.map(({ name, column }) => `${name}.${column}`);
  for (const column of [
    'run.state',
    'run.tokens',
    'run_event.event',
    'permission.state',
    'effect.tool',
    'turn.agent_id',
  ])
    assert.ok(readable.includes(column), column);
  assert.deepEqual(
    rows.filter(({ name, column }) => TEXTS.test(column) && !HARMLESS.has(`${name}.${column}`)),
    [],
  );
  assert.deepEqual(
    readable.filter((column) =>
      /^(session|session_person|session_message|session_event|payload|journal_entry)\./.test(column),
    ),
    [],
  );
  await owner.query('set role reader');
  await owner.query('select run_id, state, tokens from run');
  for (const query of [
    'select prompt from run',
    'select detail from run_event',
    'select turn from turn',
    'select * from run',
  ])
    await assert.rejects(owner.query(query), { code: '42501' }, query);
  await owner.end();
});
