import { createHash, randomUUID } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { connectLimitMs, probed, type Db, sqlState } from '../connection/database.ts';
import { requireServerVersion } from './server-version.ts';

/** True if this database is a loaded dump that was not adopted yet. Works for any role, once the schema is current. */
export async function isClusterBehind(db: Db): Promise<boolean> {
  const { rows } = await sql<{ behind: boolean }>`select log.is_behind() as behind`.execute(db);
  return rows[0]?.behind ?? false;
}

/** Adopts a loaded dump: raises the transaction offset above its log. Needs the owner. Throws while an API is connected. */
async function adoptCluster(client: pg.Client, appRole: string): Promise<boolean> {
  if (!(await isBehind(client))) return false;
  await client.query('begin');
  try {
    await client.query('lock table log.head, ledger.transfer, public.audit, public.turn in access exclusive mode');
    await refuseSessionsOf(client, appRole);
    const { rows } = await client.query<{ before: string; offset: string }>(`
      select log.xact_offset()::text as before, greatest(
        (select max(xact) from log.head), (select max(xact) from ledger.transfer), (select max(xact) from public.audit), (select max(xact) from public.turn)
      )::text as offset`);
    const before = BigInt(rows[0]?.before ?? '0');
    const offset = BigInt(rows[0]?.offset ?? '0');
    await client.query(
      `create or replace function log.xact_offset() returns bigint language sql stable parallel safe as $$ select ${offset}::bigint $$`,
    );
    const auditId = randomUUID();
    await client.query(
      `insert into public.audit (audit_id, actor_role, actor_id, action, object, detail, request_id) values ($1, 'system', 'migrate', 'log.restore', 'log', $2, $3)`,
      [auditId, JSON.stringify({ offset: String(offset), before: String(before) }), auditId],
    );
    await client.query('commit');
    return true;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

async function isBehind(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ behind: boolean }>('select log.is_behind() as behind');
  return rows[0]?.behind ?? false;
}

async function refuseSessionsOf(client: pg.Client, role: string): Promise<void> {
  const { rows } = await client.query<{ sessions: number }>(
    'select count(*)::integer as sessions from pg_stat_activity where datname = current_database() and usename = $1 and pid <> pg_backend_pid()',
    [role],
  );
  const sessions = rows[0]?.sessions ?? 0;
  if (sessions > 0)
    throw new Error(
      `the village was loaded from a dump, and ${sessions} sessions of the role ${role} are connected. Fix: scale the api to 0 replicas, then run this again (docs/OPERATIONS.md, "Backup and restore")`,
    );
}

const FOLDER = join(import.meta.dirname, '../../migrations');
/** Key of the lock that all starting replicas take; an arbitrary constant. */
const LOCK = 4_832_001;

/**
 * Second texts of landed migrations, by hash. For a few hours `0064_model_health.sql` granted the reader role single columns; a database
 * that applied it so has the same rights as others after 0075.
 */
const SECOND_TEXTS: ReadonlyMap<string, string> = new Map([
  ['0064_model_health.sql', 'cd6f5a9f089a33a9abc66f483ebd0344f5fc76866f507a651634296e7e6a73bf'],
]);

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly sha256: string;
}

async function migrationNames(): Promise<readonly string[]> {
  return (await readdir(FOLDER)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)).sort();
}

async function readMigrations(): Promise<readonly Migration[]> {
  return Promise.all(
    (await migrationNames()).map(async (name) => {
      const sql = await readFile(join(FOLDER, name), 'utf8');
      return { name, sql, sha256: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

function withRoles(client: pg.Client, statements: string, roles: Roles): string {
  return statements
    .replaceAll('{app}', client.escapeIdentifier(roles.app))
    .replaceAll('{reader}', client.escapeIdentifier(roles.reader));
}

async function applyMissing(client: pg.Client, roles: Roles): Promise<readonly string[]> {
  await client.query(
    `create table if not exists schema_migration (name text primary key, sha256 text not null, applied_at timestamptz not null default now())`,
  );
  const { rows } = await client.query<{ name: string; sha256: string }>('select name, sha256 from schema_migration');
  const applied = new Map(rows.map((row) => [row.name, row.sha256]));
  const done: string[] = [];
  for (const migration of await readMigrations()) {
    const before = applied.get(migration.name);
    if (before === migration.sha256) continue;
    if (before !== undefined && before === SECOND_TEXTS.get(migration.name)) continue;
    if (before !== undefined)
      throw new Error(
        `${migration.name} differs from the file that this database has applied. Fix: run the version of Hamlet that created the database, or start with an empty one (docs/adr/0042-kept-data.md)`,
      );
    await client.query('begin');
    await client.query(withRoles(client, migration.sql, roles));
    await client.query('insert into schema_migration (name, sha256) values ($1, $2)', [
      migration.name,
      migration.sha256,
    ]);
    await client.query('commit');
    done.push(migration.name);
  }
  return done;
}

interface Roles {
  readonly app: string;
  readonly reader: string;
}

const READER = 'reader';

/** Creates the roles, if the owner may; a deployment may create them itself. */
async function ensureRole(client: pg.Client, role: string, attributes: string): Promise<void> {
  const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [role]);
  if (rowCount === 0) await client.query(`create role ${client.escapeIdentifier(role)} ${attributes}`);
}

async function ensureRoles(client: pg.Client, appUrl: string): Promise<Roles> {
  const { username, password } = new URL(appUrl);
  const app = decodeURIComponent(username);
  await ensureRole(client, app, `login password ${client.escapeLiteral(decodeURIComponent(password))}`);
  await ensureRole(client, READER, 'nologin');
  return { app, reader: READER };
}

/** Migrates as the owner, and adopts a loaded dump. Returns the applied names. Throws if an applied file has changed, or Postgres is too old. */
export async function migrate(options: {
  readonly ownerUrl: string;
  readonly appUrl: string;
}): Promise<readonly string[]> {
  const client = new pg.Client({
    connectionString: options.ownerUrl,
    connectionTimeoutMillis: connectLimitMs(options.ownerUrl),
    ...probed(),
    application_name: 'hamlet-api migration',
  });
  await client.connect();
  try {
    const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
    requireServerVersion(Number(rows[0]?.server_version_num));
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    const roles = await ensureRoles(client, options.appUrl);
    const done = await applyMissing(client, roles);
    await adoptCluster(client, roles.app);
    return done;
  } finally {
    await client.end();
  }
}

/** SQLSTATEs of a missing `schema_migration`, and of an old schema in which this role may not read it yet. */
const UNREADABLE = new Set(['42P01', '42501']);

/** The migrations that the database has not applied yet. Works for any role. */
export async function missingMigrations(db: Db): Promise<readonly string[]> {
  const names = await migrationNames();
  try {
    const { rows } = await sql<{ name: string }>`select name from schema_migration`.execute(db);
    const applied = new Set(rows.map(({ name }) => name));
    return names.filter((name) => !applied.has(name));
  } catch (error) {
    if (UNREADABLE.has(sqlState(error))) return names;
    throw error;
  }
}
