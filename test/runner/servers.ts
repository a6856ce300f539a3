/** The Postgres and the Redis that all test files of a run share. */
import { execFile } from 'node:child_process';
import { chmod, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startPostgres, startRedis, type LocalPostgres } from '@hamlet/dev';
import { migrate, openDatabase } from '@hamlet/store';
import { sql } from 'kysely';
import { largeFolder } from '../../local/village/large-folder.ts';

/** Number of Redis databases: more than test files in a run. */
export const REDIS_DATABASES = 4_096;
const TEST_CONNECTIONS = 500;
/** A busy machine may take long to open a session. */
const PATIENCE = 'connect_timeout=60';
/** Data folder of a stopped, migrated server; dedicated servers start from a copy of it. */
const TEMPLATE = 'HAMLET_TEST_TEMPLATE';
const POSTGRES = 'HAMLET_TEST_POSTGRES';
const REDIS = 'HAMLET_TEST_REDIS';

const run = promisify(execFile);

export interface TestServers {
  readonly postgresPort: number;
  readonly redisPort: number;
  /** The variables by which other processes find these servers. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Connection string of the superuser, or of `role`, whose password is its name. */
export function testUrl(port: number, database: string, role?: string): string {
  return `postgres://${role === undefined ? 'postgres:hamlet' : `${role}:${role}`}@127.0.0.1:${port}/${database}?${PATIENCE}`;
}

/** A new folder that the user of Postgres can enter. */
export async function openFolder(): Promise<string> {
  const folder = await largeFolder('hamlet-test-servers', tmpdir());
  await chmod(folder, 0o755);
  return folder;
}

/** Starts a dedicated server in the folder: empty, or with the tables of the village. */
export async function serverIn(folder: string, content: 'empty' | 'migrated'): Promise<LocalPostgres> {
  const dataDir = join(folder, 'data');
  const template = process.env[TEMPLATE];
  const isCopy = content === 'migrated' && template !== undefined;
  if (isCopy) await run('cp', ['-a', '--reflink=auto', template, dataDir]);
  const server = await startPostgres({ dataDir, durability: 'fast', connections: TEST_CONNECTIONS });
  if (content === 'migrated' && !isCopy) await migrateServer(server.port);
  return server;
}

/** Migrates, then opens a session: Postgres writes its cache of the catalog with it, and later sessions, also on copies, read that file. */
async function migrateServer(port: number): Promise<void> {
  await migrate({ ownerUrl: testUrl(port, 'postgres'), appUrl: testUrl(port, 'postgres', 'app') });
  const db = openDatabase({ url: testUrl(port, 'postgres'), poolSize: 1, onError: () => undefined });
  await sql`select 1`.execute(db);
  await db.destroy();
}

/** Starts both servers. The database `postgres` is the template of every file's database. */
export async function startTestServers(): Promise<TestServers> {
  const folder = await openFolder();
  const template = join(folder, 'template');
  const first = await serverIn(folder, 'migrated');
  await first.stop();
  await rename(join(folder, 'data'), template);
  await run('cp', ['-a', '--reflink=auto', template, join(folder, 'data')]);
  const [postgres, redis] = await Promise.all([
    startPostgres({ dataDir: join(folder, 'data'), durability: 'fast', connections: TEST_CONNECTIONS }),
    startRedis({ databases: REDIS_DATABASES }),
  ]);
  return {
    postgresPort: postgres.port,
    redisPort: redis.port,
    environment: { [POSTGRES]: String(postgres.port), [REDIS]: String(redis.port), [TEMPLATE]: template },
    stop: async () => {
      await Promise.all([postgres.stop(), redis.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

let own: { readonly servers: Promise<TestServers>; users: number } | undefined;

/**
 * The servers of the run. A test file that runs alone starts its own pair, which ends with the last release. Each call
 * needs one `release`.
 */
export async function useServers(): Promise<
  Pick<TestServers, 'postgresPort' | 'redisPort'> & { release(): Promise<void> }
> {
  const [postgresPort, redisPort] = [Number(process.env[POSTGRES]), Number(process.env[REDIS])];
  if (postgresPort > 0 && redisPort > 0) return { postgresPort, redisPort, release: async () => {} };
  const pair = (own ??= { servers: startTestServers(), users: 0 });
  pair.users += 1;
  const servers = await pair.servers;
  return {
    ...servers,
    release: async () => {
      pair.users -= 1;
      if (pair.users > 0) return;
      own = undefined;
      await servers.stop();
    },
  };
}
