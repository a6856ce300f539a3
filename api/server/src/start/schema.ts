import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { isClusterBehind, isConnectionError, migrate, missingMigrations, type Db } from '@hamlet/store';
import type { MigrationConfig } from './config.ts';
import type { Log } from '../service/log.ts';

const PATIENCE_MS = 120_000;
const PAUSE_MS = 500;

/** Runs `work`, and retries for two minutes while Postgres is unreachable. Throws any other error. */
async function whenUp<T>(work: () => Promise<T | null>, log: Log): Promise<T> {
  for (const giveUpMs = performance.now() + PATIENCE_MS; ; await sleep(PAUSE_MS)) {
    try {
      const done = await work();
      if (done !== null) return done;
    } catch (error) {
      if (!isConnectionError(error) || performance.now() > giveUpMs) throw error;
      log('info', 'waiting for the database', { error: error instanceof Error ? error.message : error });
    }
  }
}

export async function migrateSchema(config: MigrationConfig, log: Log): Promise<void> {
  const done = await whenUp(() => migrate(config), log);
  log('info', 'the schema is up to date', { migrations: done });
}

/**
 * Waits until a migration has brought the schema up to this version and has taken over a village that was loaded from a
 * dump. The API cannot do so itself, because it runs as the role `app`. Throws after two minutes, with the fix.
 */
export async function waitForSchema(db: Db, log: Log): Promise<void> {
  const giveUpMs = performance.now() + PATIENCE_MS;
  await whenUp(async () => {
    const missing = await missingMigrations(db);
    if (missing.length === 0 && !(await isClusterBehind(db))) return true;
    const lack =
      missing.length > 0 ? `lacks ${missing.join(', ')}` : 'was loaded from a dump that no migration has taken over';
    if (performance.now() > giveUpMs)
      throw new Error(
        `the database ${lack}. Fix: run node api/server/src/main.ts --migrate with HAMLET_POSTGRES_OWNER_URL`,
      );
    log('info', 'waiting for the schema', { missing, lack });
    return null;
  }, log);
}
