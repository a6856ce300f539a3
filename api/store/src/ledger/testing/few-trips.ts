import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { Db } from '../../connection/database.ts';
import type { Tables } from '../../connection/tables.generated.ts';

/** Statements at the boundaries of transactions and savepoints, whose answers no caller reads. */
const BOUNDARY = /^(begin|commit|savepoint|release savepoint)\b/;
const INT8_OID = 20;

/**
 * One connection that sends the boundaries of transactions together with the next statement: an operation with its own
 * transaction and savepoint needs two round trips instead of five, which are most of the cost on a busy machine. If a
 * boundary fails, the next statement rejects. Destroying the database sends the last boundaries.
 */
export function openWithFewTrips(url: string): Db {
  const typeParser = (oid: number): ((value: string) => unknown) =>
    oid === INT8_OID ? Number : pg.types.getTypeParser(oid, 'text');
  const client = new pg.Client({
    connectionString: url,
    types: { getTypeParser: typeParser as typeof pg.types.getTypeParser },
  });
  let connected: Promise<unknown> | null = null;
  let waiting: string[] = [];

  async function sendWaiting(): Promise<void> {
    const statements = waiting.join('; ');
    waiting = [];
    if (statements !== '') await client.query(statements);
  }

  async function query(text: string, values: readonly unknown[]): Promise<unknown> {
    if (BOUNDARY.test(text)) {
      waiting.push(text);
      return { command: 'SELECT', rowCount: 0, rows: [] };
    }
    await sendWaiting();
    return client.query(text, [...values]);
  }

  const pool: PostgresPool = {
    options: {},
    connect: async () => {
      connected ??= client.connect();
      await connected;
      return { query: query as PostgresPoolClient['query'], release: () => undefined };
    },
    end: async () => {
      await sendWaiting();
      await client.end();
    },
  };
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}
