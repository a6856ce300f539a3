import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { adoptCluster } from './adopt-cluster.ts';
import { connectLimitMs, type Db, sqlState } from '../connection/database.ts';

const FOLDER = join(import.meta.dirname, '../../migrations');
/** An arbitrary constant; every replica that starts takes the same lock. */
const LOCK = 4_832_001;

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
    if (before !== undefined)
      throw new Error(
        `${migration.name} differs from the file that this database has applied. Fix: run the version of Hamlet that made the database, or start with an empty one (docs/adr/0042-kept-data.md)`,
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

/** Only this needs an owner that may create roles; a deployment may create the roles itself. */
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

/** As the owner, migrates and adopts a loaded dump. Returns the applied names. Throws if an applied file changed. */
export async function migrate(options: {
  readonly ownerUrl: string;
  readonly appUrl: string;
}): Promise<readonly string[]> {
  const client = new pg.Client({
    connectionString: options.ownerUrl,
    connectionTimeoutMillis: connectLimitMs(options.ownerUrl),
  });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    const roles = await ensureRoles(client, options.appUrl);
    const done = await applyMissing(client, roles);
    await adoptCluster(client, roles.app);
    return done;
  } finally {
    await client.end();
  }
}

/** SQLSTATEs for a missing `schema_migration`, and for an old schema that does not let this role read it yet. */
const UNREADABLE = new Set(['42P01', '42501']);

/** The migrations of this version that the database has not applied. Works for any role. */
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
