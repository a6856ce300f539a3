import { cp, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { openSuperuser } from './superuser.ts';
import type { TestPostgres } from './postgres.ts';

const FOLDER = resolve(import.meta.dirname, '../fixtures/village-0011');
const TRANSACTIONS_MAX = 100_000;

/** What is kept of a village beside its database. */
export interface KeptVillage {
  /** Password of the role `app`. */
  readonly appPassword: string;
  /** The last migration that was applied when the village was dumped. */
  readonly lastMigration: string;
}

/**
 * Loads a village with kept data into an empty Postgres, as an operator restores a dump: the roles first, then the dump. Transactions of the new server begin
 * above those that the dump has sealed, as docs/LOG.md demands of a restore.
 */
export async function loadKeptVillage(postgres: TestPostgres): Promise<KeptVillage> {
  const dump = (await promisify(gunzip)(await readFile(resolve(FOLDER, 'village.sql.gz')))).toString();
  const superuser = openSuperuser(postgres);
  try {
    await superuser.run("create role app login password 'app'; create role reader nologin");
    await superuser.run(dump);
    // The dump sets an empty search path for its session.
    await superuser.run('reset all');
    await superuser.run(`do $$ begin
      for spent in 1..${TRANSACTIONS_MAX} loop
        exit when pg_current_xact_id()::text::bigint > (select xact from log.head);
        commit;
      end loop;
    end $$`);
    return { appPassword: 'app', lastMigration: '0011_people.sql' };
  } finally {
    await superuser.close();
  }
}

/** Copies the village's folder of checkpoints, with its key, to a folder that a test may write to. */
export async function copyKeptLog(to: string): Promise<void> {
  await cp(resolve(FOLDER, 'log'), to, { recursive: true });
}
