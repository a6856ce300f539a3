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
