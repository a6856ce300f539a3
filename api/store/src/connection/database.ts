import { Kysely, PostgresDialect } from 'kysely';
import type { Transaction } from 'kysely';
import pg from 'pg';
import { connectLimitMs } from './connect-limit.ts';
import type { Tables } from './tables.ts';

/** A connection to ask through: the pool, or the transaction a caller is in. */
export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;

const INT8_OID = 20;
const STATEMENT_LIMIT_MS = 10_000;

/** Counters and ticks stay below 2^53, so int8 is read as a number. */
function typeParser(oid: number, format?: string): (value: string) => unknown {
  if (oid === INT8_OID) return Number;
  const parser: (value: string) => unknown = format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text');
  return parser;
}

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Hears of idle connections that Postgres closed; the pool replaces them. */
  readonly onError: (error: Error) => void;
}

/** Opens a pool. Nothing is connected before the first query. */
export function openDatabase(options: DatabaseOptions): Db {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: connectLimitMs(options.url),
    statement_timeout: STATEMENT_LIMIT_MS,
    keepAlive: true,
    types: { getTypeParser: typeParser as typeof pg.types.getTypeParser },
    application_name: 'hamlet-api',
  });
  pool.on('error', options.onError);
  // A connection lost while it is checked out tells its client alone, and unheard that would end the process. Its statement fails as well.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/** Runs `work` in one transaction: its value commits, its exception rolls back. */
export function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction().execute(work);
}

/** Reads several things as of one moment: everything committed before it and nothing after. */
export function inSnapshot<T>(db: Db, read: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction().setIsolationLevel('repeatable read').execute(read);
}

/** Answers once Postgres does. Throws where it does not. */
export async function ping(db: Db): Promise<void> {
  await db.selectFrom('village').select('seed').executeTakeFirstOrThrow();
}

/** Whether an error is about reaching Postgres, and so may pass: lost or refused connections, shutdown, start-up, time-outs. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (/^(08|57)/.test(code) || code === '53300' || /^E(CONN|PIPE|TIMEDOUT|HOSTUNREACH|AI_AGAIN)/.test(code) || code === 'ENOTFOUND') return true;
  return /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/.test(error.message);
}

/** Whether a text cannot be kept as it is: with a NUL in it, or half of a surrogate pair. */
export function isUnkeepableText(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '22021' || error.code === '22P05');
}

/** Whether an append failed because these very rows are there. */
export function isDuplicateError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505';
}
