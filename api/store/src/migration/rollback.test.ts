/** The API of 0.1.0 works with the schema of today, so a rollback of the release needs no rollback of the data. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { untilEnd } from '@hamlet/test/env/at-end';
import { ownPostgres } from '@hamlet/test/env/postgres';
import pg from 'pg';

const FOLDER = resolve(import.meta.dirname, '../../migrations');
/** The last migration of the release 0.1.0. */
const LAST_OF_0_1_0 = '0057_caller_of_admission.sql';

/** Everything that the API of a release uses, one line each: columns with their types, rights of `app`, functions with their arguments. */
const SURFACE = `
  with village as (select oid, nspname from pg_namespace where nspname in ('public', 'ledger', 'board', 'log'))
  select format('column %s.%s.%s %s', v.nspname, c.relname, a.attname, format_type(a.atttypid, null)) as line
    from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'v') join village v on v.oid = c.relnamespace
    where a.attnum > 0 and not a.attisdropped
  union all
  select format('right %s.%s %s', v.nspname, c.relname, p.name)
    from pg_class c join village v on v.oid = c.relnamespace cross join (values ('select'), ('insert'), ('delete')) p (name)
    where c.relkind in ('r', 'v') and has_any_column_privilege('app', c.oid, 'select') and
      case when p.name = 'delete' then has_table_privilege('app', c.oid, 'delete') else has_any_column_privilege('app', c.oid, p.name) end
  union all
  select format('function %s.%s(%s) returns %s', v.nspname, p.proname, pg_get_function_identity_arguments(p.oid), pg_get_function_result(p.oid))
    from pg_proc p join village v on v.oid = p.pronamespace where p.prorettype <> 'trigger'::regtype`;

/** Columns that an insert must name, as 'table.column'. */
const DEMANDED = `
  select format('%s.%s.%s', n.nspname, c.relname, a.attname) as line
  from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relkind = 'r' join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('public', 'ledger', 'board', 'log') and a.attnum > 0 and not a.attisdropped
    and a.attnotnull and not a.atthasdef and a.attidentity = '' and a.attgenerated = ''`;

const postgres = untilEnd(await ownPostgres('empty'));
const client = new pg.Client({ connectionString: postgres.url() });
await client.connect();
untilEnd({ remove: () => client.end() });
await client.query("create role app login password 'app'; create role reader nologin");

async function linesOf(query: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly line: string }>(query);
  return rows.map(({ line }) => line);
}

async function apply(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const text = await readFile(resolve(FOLDER, name), 'utf8');
    await client.query('begin');
    await client.query(text.replaceAll('{app}', 'app').replaceAll('{reader}', 'reader'));
    await client.query('commit');
  }
}

const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).toSorted();
await client.query(
  'create table schema_migration (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
);
await apply(names.filter((name) => name <= LAST_OF_0_1_0));
const before = { surface: await linesOf(SURFACE), demanded: await linesOf(DEMANDED) };
await apply(names.filter((name) => name > LAST_OF_0_1_0));
const after = { surface: new Set(await linesOf(SURFACE)), demanded: await linesOf(DEMANDED) };

test('no column, right or function of 0.1.0 is gone', () => {
  assert.ok(before.surface.length > 500, 'the release used a large surface');
  assert.deepEqual(
    before.surface.filter((line) => !after.surface.has(line)),
    [],
  );
});

test('an insert of 0.1.0 names every column that must be named today', () => {
  const tables = new Set(before.surface.map((line) => /^column (\S+)\.\w+ /.exec(line)?.[1]));
  const known = new Set(before.demanded);
  assert.deepEqual(
    after.demanded.filter((column) => tables.has(column.slice(0, column.lastIndexOf('.'))) && !known.has(column)),
    [],
  );
});
