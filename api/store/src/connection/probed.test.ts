/** Postgres probes each connection that the API keeps: otherwise it holds the locks of a vanished node for two hours. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { migratedPostgres, type TestPostgres } from '@hamlet/test/env/postgres';
import { until } from '@hamlet/test/env/until';
import { sql } from 'kysely';
import { migrate } from '../migration/migrate.ts';
import { openDatabase, ping, type Db } from './database.ts';
import { listen } from './listener.ts';

/** A trigger runs on each new connection, where `current_setting` reads the setting of its socket. */
const NOTE_LOGINS = [
  `create table login (name text not null, idle text not null, each text not null, count text not null, unacknowledged text not null)`,
  `create function note_login() returns event_trigger security definer language plpgsql as $$
  begin
    insert into public.login values (current_setting('application_name'), current_setting('tcp_keepalives_idle'),
      current_setting('tcp_keepalives_interval'), current_setting('tcp_keepalives_count'), current_setting('tcp_user_timeout'));
  end $$`,
  'create event trigger note_login on login execute function note_login()',
  'alter event trigger note_login enable always',
];

let postgres: TestPostgres;
let owner: Db;
before(async () => {
  postgres = await migratedPostgres();
  owner = openDatabase({ url: postgres.url(), poolSize: 1, onError: () => undefined });
  for (const statement of NOTE_LOGINS) await sql.raw(statement).execute(owner);
});
after(async () => {
  await owner.destroy();
  await postgres.remove();
});

const loginsOf = async (name: string) => {
  const { rows } = await sql<Record<string, string>>`select * from login where name = ${name}`.execute(owner);
  return rows;
};
const PROBED = { idle: '15', each: '5', count: '3', unacknowledged: '20000' };

test('the listener, which holds the lock of the upkeep, is probed', async (t) => {
  const listener = listen(postgres.appUrl, ['any'], () => undefined);
  t.after(() => listener.stop());
  await until('it leads', async () => listener.leads());
  assert.deepEqual(await loginsOf('hamlet-api listener'), [{ name: 'hamlet-api listener', ...PROBED }]);
});

test('a pool is probed', async () => {
  const db = openDatabase({ url: postgres.appUrl, poolSize: 1, onError: () => undefined });
  await ping(db);
  await db.destroy();
  assert.deepEqual(await loginsOf('hamlet-api'), [{ name: 'hamlet-api', ...PROBED }]);
});

test('the migration, which holds a lock for as long as it takes, is probed', async () => {
  await migrate({ ownerUrl: postgres.url(), appUrl: postgres.appUrl });
  assert.deepEqual(await loginsOf('hamlet-api migration'), [{ name: 'hamlet-api migration', ...PROBED }]);
});
