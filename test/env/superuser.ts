import { openDatabase } from '@hamlet/store';
import { sql } from 'kysely';
import type { TestPostgres } from './postgres.ts';

/** Statements as the superuser of a test's Postgres, like an attacker with access to the database. */
export interface Superuser {
  run(statement: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): Promise<void>;
}

/** Opens a separate session. */
export function openSuperuser(postgres: TestPostgres): Superuser {
  const db = openDatabase({ url: postgres.url(), poolSize: 1, onError: () => undefined });
  return {
    run: async (statement) => (await sql.raw<Record<string, unknown>>(statement).execute(db)).rows,
    close: () => db.destroy(),
  };
}

/** Transactions of a test's database that Postgres ended because they waited for each other. */
export async function countDeadlocks(postgres: TestPostgres): Promise<number> {
  const superuser = openSuperuser(postgres);
  const [row] = await superuser.run(
    'select deadlocks::integer from pg_stat_database where datname = current_database()',
  );
  await superuser.close();
  return Number(row?.['deadlocks']);
}
