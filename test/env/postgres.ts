import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { LocalPostgres } from '@hamlet/dev';
import { openDatabase } from '@hamlet/store';
import { sql } from 'kysely';
import { openFolder, serverIn, testUrl, useServers } from '../runner/servers.ts';

/** A database of this test. */
export interface TestPostgres {
  readonly port: number;
  /** Connection string of the superuser. */
  url(database?: string): string;
  /** Connection string with the rights of the API. */
  readonly appUrl: string;
  /** Deletes the data. */
  remove(): Promise<void>;
}

/** A server that only this test uses, so the test may kill it. */
export interface OwnPostgres extends TestPostgres, Pick<LocalPostgres, 'stop' | 'start'> {}

/** A new database with the village's tables, on the server that all test files share. */
export async function migratedPostgres(): Promise<TestPostgres> {
  const { postgresPort: port, release } = await useServers();
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Copies files: PostgreSQL's default writes each page to its log as well, at three times the processor time.
  await onServer(port, `create database ${name} template postgres strategy file_copy`);
  return {
    port,
    url: (database = name) => testUrl(port, database),
    appUrl: testUrl(port, name, 'app'),
    remove: async () => {
      await onServer(port, `drop database ${name} with (force)`);
      await release();
    },
  };
}

async function onServer(port: number, statement: string): Promise<void> {
  const db = openDatabase({ url: testUrl(port, 'template1'), poolSize: 1, onError: () => undefined });
  try {
    await sql.raw(statement).execute(db);
  } finally {
    await db.destroy();
  }
}

/** A Postgres 18 for tests that kill their server or create roles: without tables, or with the village's. */
export async function ownPostgres(content: 'empty' | 'migrated' = 'migrated'): Promise<OwnPostgres> {
  const folder = await openFolder();
  const server = await serverIn(folder, content);
  return {
    ...server,
    url: (database = 'postgres') => testUrl(server.port, database),
    appUrl: testUrl(server.port, 'postgres', 'app'),
    remove: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
