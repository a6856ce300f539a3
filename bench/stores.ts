import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort, startPostgres, startRedis, type LocalPostgres } from '@hamlet/dev';
import { migrate, openDatabase } from '@hamlet/store';
import { sql } from 'kysely';
import { API_FLAGS } from './pod-flags.ts';
import { startNode } from './programs.ts';

const MAIN = resolve(import.meta.dirname, '../api/server/src/main.ts');
/** No bench measures the API's rate limits. */
const RATE_LIMIT = '100000000';

/** A new folder, removed at the end. Every user may enter it, as that of Postgres must. */
export async function benchFolder(ends: AsyncDisposableStack, prefix: string): Promise<string> {
  const folder = await mkdtemp(prefix.startsWith('/') ? prefix : join(tmpdir(), `hamlet-bench-${prefix}-`));
  ends.defer(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  return folder;
}

/** Connection string with the rights of the API, from that of the superuser. */
export const asApp = (url: string): string => url.replace('postgres:hamlet@', 'app:app@');

/** Creates an empty database; returns its connection string. */
export async function createDatabase(postgres: LocalPostgres, name: string): Promise<string> {
  const db = openDatabase({ url: postgres.url(), poolSize: 1, onError: () => undefined });
  await sql`create database ${sql.id(name)}`.execute(db);
  await db.destroy();
  return postgres.url(name);
}

/** A Postgres with the village's tables, and a Redis. */
export interface Stores {
  readonly postgres: LocalPostgres;
  readonly appUrl: string;
  readonly redisUrl: string;
}

/** Starts the stores with their data in the folder; as durable as in production by default. */
export async function startStores(
  ends: AsyncDisposableStack,
  folder: string,
  durability: 'full' | 'fast' = 'full',
): Promise<Stores> {
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), durability });
  ends.defer(() => postgres.stop());
  const redis = await startRedis();
  ends.defer(() => redis.stop());
  const appUrl = asApp(postgres.url());
  await migrate({ ownerUrl: postgres.url(), appUrl });
  return { postgres, appUrl, redisUrl: redis.url };
}

/** Starts the API on the stores with the flags of its image and the `keys.json` of the folder. Returns its address for people. */
export async function startApi(
  ends: AsyncDisposableStack,
  place: { readonly folder: string; readonly stores: Stores },
  environment: NodeJS.ProcessEnv,
): Promise<{ readonly url: string; readonly pid: number }> {
  const [people, metrics] = await Promise.all([freePort(), freePort()]);
  const env = {
    HAMLET_POSTGRES_URL: place.stores.appUrl,
    HAMLET_REDIS_URL: place.stores.redisUrl,
    HAMLET_PEOPLE_LISTEN: `127.0.0.1:${people}`,
    HAMLET_METRICS_LISTEN: `127.0.0.1:${metrics}`,
    HAMLET_API_KEYS_FILE: join(place.folder, 'keys.json'),
    HAMLET_RATE_LIMIT: RATE_LIMIT,
    HAMLET_LOG_LEVEL: 'warn',
    ...environment,
  };
  const pid = await startNode(ends, [...API_FLAGS, MAIN], { env, ready: `http://127.0.0.1:${metrics}/readyz` });
  return { url: `http://127.0.0.1:${people}`, pid };
}
