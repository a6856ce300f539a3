import pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import { DatabaseBusyError, guardedPool } from './guarded-pool.ts';
import { firstRow } from './result-rows.ts';
import type { Tables } from './tables.generated.ts';

/** The pool, or the transaction of the caller. */
export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;

const INT8_OID = 20;
const STATEMENT_LIMIT_MS = 10_000;
const CONNECT_LIMIT_S = 5;
/**
 * Milliseconds after which an idle connection is closed. Longer than a minute, so that the jobs of each minute find
 * open connections: connecting and planning costs a request 10 to 50 ms.
 */
const UNUSED_MS = 120_000;
/** Milliseconds of silence after which the system probes a connection, which detects a vanished server before the next use. */
const PROBE_AFTER_MS = 10_000;
/** Probes after 15 s of silence: without them, Postgres holds the locks of a vanished client for about two hours. */
const PROBES =
  '-c tcp_keepalives_idle=15 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c tcp_user_timeout=20000';

/**
 * Settings of every connection that lasts, holds a lock or listens: both ends detect within half a minute that the other has vanished.
 * @param bounds further settings of the session
 */
export function probed(bounds = ''): Pick<pg.ClientConfig, 'options' | 'keepAlive' | 'keepAliveInitialDelayMillis'> {
  return { options: `${PROBES}${bounds}`, keepAlive: true, keepAliveInitialDelayMillis: PROBE_AFTER_MS };
}

/** Counters and ticks stay below 2^53, so int8 is read as a number. */
function typeParser(oid: number, format?: string): (value: string) => unknown {
  if (oid === INT8_OID) return Number;
  const parser: (value: string) => unknown =
    format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text');
  return parser;
}

export interface DatabaseLimits {
  /** Longest wait for an answer in ms; exceeds the statement timeout, so only a dead connection reaches it. */
  readonly answerMs: number;
  /** Longest pause within a transaction in ms; then Postgres ends the session, because its client may be gone. */
  readonly idleInTransactionMs: number;
  readonly transactionMs: number;
}

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Limits of each transaction; none by default. */
  readonly limits?: DatabaseLimits;
  /** Called for idle connections that Postgres closed; the pool replaces them. */
  readonly onError: (error: Error) => void;
}

/** Longest connection attempt in ms: `?connect_timeout=` of the url (seconds, as in libpq), else five seconds. */
export function connectLimitMs(url: string): number {
  const seconds = Number(URL.parse(url)?.searchParams.get('connect_timeout') ?? CONNECT_LIMIT_S);
  return (seconds > 0 ? seconds : CONNECT_LIMIT_S) * 1_000;
}

export function openDatabase(options: DatabaseOptions): Db {
  const { limits } = options;
  const bounds =
    limits === undefined
      ? ''
      : ` -c idle_in_transaction_session_timeout=${limits.idleInTransactionMs} -c transaction_timeout=${limits.transactionMs}`;
  const pool = new pg.Pool({
    connectionString: options.url,
    ...probed(bounds),
    ...(limits === undefined ? {} : { query_timeout: limits.answerMs }),
    max: options.poolSize,
    connectionTimeoutMillis: connectLimitMs(options.url),
    statement_timeout: STATEMENT_LIMIT_MS,
    idleTimeoutMillis: UNUSED_MS,
    types: { getTypeParser: typeParser as typeof pg.types.getTypeParser },
    application_name: 'hamlet-api',
  });
  pool.on('error', options.onError);
  // A lost connection emits this event, which would end the process without a listener. The running statement fails as
  // well.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: guardedPool(pool, () => performance.now()) }) });
}

const TRIES_MAX = 6;
/** Upper limit in ms of the random pause before the second try; it doubles with each further try. */
const PAUSE_MS = 20;

/**
 * Runs `work` in one transaction: commits when it returns, rolls back when it throws. Repeats it after a deadlock or a
 * serialization failure (`isConflict`), so `work` changes only the database: effects elsewhere belong after the commit.
 */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1)
    try {
      return await inOneTry(db, work);
    } catch (error) {
      if (!isConflict(error) || tries === TRIES_MAX) throw error;
      await sleep(Math.random() * PAUSE_MS * 2 ** (tries - 1));
    }
}

/** Like `inTransaction`, but for work with effects outside the database: runs it once, and throws a conflict instead of repeating it. */
export const inOneTry = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> => db.transaction().execute(work);

/** Runs several reads as of one moment: they see everything committed before it and nothing after it. */
export function inSnapshot<T>(db: Db, read: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction().setIsolationLevel('repeatable read').execute(read);
}

/** Runs a part of a transaction in a savepoint. If its outcome is not ok, undoes the part's writes and continues. */
export async function inSavepoint<T extends { readonly ok: boolean }>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await sql`savepoint part`.execute(tx);
  const outcome = await work();
  if (!outcome.ok) await sql`rollback to savepoint part`.execute(tx);
  // A rollback to a savepoint keeps the savepoint.
  await sql`release savepoint part`.execute(tx);
  return outcome;
}

/** The database's clock, which decides about leases, windows and purchases. */
export async function databaseNow(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  return firstRow(rows, 'the database returned no row for its clock').now;
}

/** True if a time is in the future by the database's clock. */
export async function isAhead(tx: Tx, at: Date): Promise<boolean> {
  const { rows } = await sql<{ ahead: boolean }>`select ${at}::timestamptz > now() as ahead`.execute(tx);
  return rows[0]?.ahead === true;
}

/** Locks a name until the transaction ends. */
export async function lockName(tx: Tx, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
}

export async function ping(db: Db): Promise<void> {
  await db.selectFrom('village').select('seed').executeTakeFirstOrThrow();
}

const TOO_MANY_CONNECTIONS = '53300';
const STATEMENT_CANCELED = '57014';
/** SQLSTATEs of a session that Postgres ended: idle in a transaction, or a transaction that took too long. */
const TIMED_OUT: ReadonlySet<string> = new Set(['25P03', '25P04']);

/** The SQLSTATE of an error, or its system code such as ECONNREFUSED; '' if it has neither. */
export function sqlState(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

const CONFLICTS: ReadonlySet<string> = new Set(['40P01', '40001']);

/** True for a deadlock or a serialization failure, after which the transaction can be repeated. */
export function isConflict(error: unknown): boolean {
  return CONFLICTS.has(sqlState(error));
}

/** True if Postgres is unreachable; false if it is only busy. */
export function isOutage(error: unknown): boolean {
  if (!isConnectionError(error) || error instanceof DatabaseBusyError) return false;
  return ![TOO_MANY_CONNECTIONS, STATEMENT_CANCELED].includes(sqlState(error));
}

/** True if a retry may succeed: lost or refused connection, shutdown, start-up, timeout, no free connection. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseBusyError) return true;
  const code = sqlState(error);
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

/** True if Postgres refused a text because of a NUL or a lone surrogate. */
export const isUnkeepableText = (error: unknown): boolean => ['22021', '22P05'].includes(sqlState(error));

export const isDuplicateError = (error: unknown): boolean => sqlState(error) === '23505';
