import { Kysely, PostgresDialect } from 'kysely';
import type { Transaction } from 'kysely';
import pg from 'pg';
import { connectLimitMs } from './connect-limit.ts';
import { DatabaseBusyError, guardedPool } from './guarded-pool.ts';
import type { Tables } from './tables.ts';

/** A connection to ask through: the pool, or the transaction a caller is in. */
export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;

const INT8_OID = 20;
const STATEMENT_LIMIT_MS = 10_000;
/**
 * How Postgres finds out that the machine of a caller is gone: otherwise it keeps the locks of an open transaction for about two hours. Probes on a
 * quiet connection begin after 15 s; what was sent and not acknowledged is given up after 20 s.
 */
const PROBES =
  '-c tcp_keepalives_idle=15 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c tcp_user_timeout=20000';

/** Counters and ticks stay below 2^53, so int8 is read as a number. */
function typeParser(oid: number, format?: string): (value: string) => unknown {
  if (oid === INT8_OID) return Number;
  const parser: (value: string) => unknown =
    format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text');
  return parser;
}

/** What no connection of a pool may exceed, in ms. */
export interface DatabaseLimits {
  /** How long a caller waits for the answer to a statement; longer than Postgres gives the statement, so only a silent connection exceeds it. */
  readonly answerMs: number;
  /** How long a transaction may be open without a statement, as the process or the network behind it may be gone. */
  readonly idleInTransactionMs: number;
  readonly transactionMs: number;
}

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  /** None where it is left out. */
  readonly limits?: DatabaseLimits;
  /** Hears of idle connections that Postgres closed; the pool replaces them. */
  readonly onError: (error: Error) => void;
}

/** Opens a pool. Nothing is connected before the first query. */
export function openDatabase(options: DatabaseOptions): Db {
  const { limits } = options;
  const bounds =
    limits === undefined
      ? ''
      : ` -c idle_in_transaction_session_timeout=${limits.idleInTransactionMs} -c transaction_timeout=${limits.transactionMs}`;
  const pool = new pg.Pool({
    connectionString: options.url,
    options: `${PROBES}${bounds}`,
    ...(limits === undefined ? {} : { query_timeout: limits.answerMs }),
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
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: guardedPool(pool, () => performance.now()) }) });
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

const TOO_MANY_CONNECTIONS = '53300';
const STATEMENT_CANCELED = '57014';
/** Idle in a transaction, and in a transaction, for too long: Postgres has ended the session. */
const TIMED_OUT: ReadonlySet<string> = new Set(['25P03', '25P04']);

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Whether Postgres cannot be reached at all: not one that is only busy, with every connection in use or a statement that took too long. */
export function isOutage(error: unknown): boolean {
  if (!isConnectionError(error) || error instanceof DatabaseBusyError) return false;
  return !(error instanceof Error) || ![TOO_MANY_CONNECTIONS, STATEMENT_CANCELED].includes(codeOf(error));
}

/** Whether an error is about reaching Postgres, and so may pass: lost or refused connections, shutdown, start-up, time-outs, no connection free. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseBusyError) return true;
  const code = codeOf(error);
  if (
    /^(08|57)/.test(code) ||
    TIMED_OUT.has(code) ||
    code === TOO_MANY_CONNECTIONS ||
    /^E(CONN|PIPE|TIMEDOUT|HOSTUNREACH|AI_AGAIN)/.test(code) ||
    code === 'ENOTFOUND'
  )
    return true;
  return /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
    error.message,
  );
}

/** Whether a text cannot be kept as it is: with a NUL in it, or half of a surrogate pair. */
export function isUnkeepableText(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '22021' || error.code === '22P05');
}

/** Whether an append failed because these very rows are there. */
export function isDuplicateError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505';
}
