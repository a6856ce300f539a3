import { cp, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { openSuperuser } from './superuser.ts';
import type { TestPostgres } from './postgres.ts';

const FIXTURES = resolve(import.meta.dirname, '../fixtures');
/** The kept villages, and the last migration at the time of their dump. */
const LAST_MIGRATIONS = {
  'village-0011': '0011_people.sql',
  'village-0022': '0022_log_epoch.sql',
  'village-0057': '0057_caller_of_admission.sql',
} as const;
export type KeptVillageName = keyof typeof LAST_MIGRATIONS;

/** The files of a village besides its database. */
export interface KeptVillage {
  readonly appPassword: string;
  readonly lastMigration: string;
}

/**
 * Loads a village with kept data into an empty Postgres, like an operator who restores a dump: the roles first, then
 * the dump.
 */
export async function loadKeptVillage(
  postgres: TestPostgres,
  name: KeptVillageName = 'village-0011',
): Promise<KeptVillage> {
  const dump = (await promisify(gunzip)(await readFile(resolve(FIXTURES, name, 'village.sql.gz')))).toString();
  const superuser = openSuperuser(postgres);
  try {
    await superuser.run("create role app login password 'app'; create role reader nologin");
    await superuser.run(dump);
    // The dump sets an empty search path for its session.
    await superuser.run('reset all');
    return { appPassword: 'app', lastMigration: LAST_MIGRATIONS[name] };
  } finally {
    await superuser.close();
  }
}

/** Copies the village's folder of checkpoints, with its key, to a folder that a test may write to. */
export async function copyKeptLog(to: string, name: KeptVillageName = 'village-0011'): Promise<void> {
  await cp(resolve(FIXTURES, name, 'log'), to, { recursive: true });
}
