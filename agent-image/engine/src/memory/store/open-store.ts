import { DatabaseSync } from 'node:sqlite';
import { getLoadablePath } from 'sqlite-vec';
import { MemoryError } from '../memory-error.ts';
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION, UPGRADES } from './schema.ts';

/** Primary result codes of SQLite (sqlite3.h). */
const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOT_A_DATABASE = 26;

/** Memory for pages, in KiB. */
const CACHE_KIB = 8_192;
/** Pages in the write-ahead log before a checkpoint, 4 MiB. */
const CHECKPOINT_PAGES = 1_000;
const MAX_LOG_BYTES = 8 << 20;

/**
 * Opens or creates the file and locks it until it is closed or the process ends. SQLite rolls back a write that a kill or a power
 * loss has interrupted. Throws `MemoryError`, or SQLite's error for a damaged file; see `isDamage`.
 */
export function openStore(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 0, allowExtension: true });
  try {
    database.loadExtension(getLoadablePath());
    database.enableLoadExtension(false);
    database.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; pragma secure_delete = on;');
    database.exec(`pragma journal_size_limit = ${MAX_LOG_BYTES}; pragma wal_autocheckpoint = ${CHECKPOINT_PAGES};`);
    database.exec(`pragma synchronous = full; pragma temp_store = memory; pragma cache_size = -${CACHE_KIB};`);
    database.exec('begin immediate');
    prepareSchema(database, path);
    database.exec('commit');
    emptyOldLog(database);
    return database;
  } catch (error) {
    database.close();
    throw openError(error, path);
  }
}

function prepareSchema(database: DatabaseSync, path: string): void {
  const version = numberOf(database, 'user_version');
  const owner = numberOf(database, 'application_id');
  if (version === 0 && owner === 0 && numberOf(database, 'schema_version') === 0) {
    database.exec(SCHEMA);
    database.exec("insert into header (one, embedder, dimensions, words_version) values (1, '', 0, 0)");
    return;
  }
  if (owner !== APPLICATION_ID)
    throw new MemoryError('memory_foreign', `${path} is not a memory. Give the folder of a memory or a new one.`);
  if (version > SCHEMA_VERSION) {
    const message = `${path} has schema ${version}; this engine knows ${SCHEMA_VERSION}. Start a newer engine.`;
    throw new MemoryError('memory_newer', message);
  }
  for (let from = version; from < SCHEMA_VERSION; from += 1) database.exec(UPGRADES[from] ?? '');
  database.exec(`pragma user_version = ${SCHEMA_VERSION}`);
}

function numberOf(database: DatabaseSync, pragma: string): number {
  const value = database.prepare(`pragma ${pragma}`).get()?.[pragma];
  return typeof value === 'number' ? value : 0;
}

/** True for SQLite's errors about a damaged file. sqlite-vec reports a damaged table as a plain error, so the file is checked then. */
export function isDamage(error: unknown, database: DatabaseSync | null): boolean {
  const code = primaryCode(error);
  if (code === SQLITE_CORRUPT || code === SQLITE_NOT_A_DATABASE) return true;
  return code === SQLITE_ERROR && database !== null && !isWhole(database);
}

function isWhole(database: DatabaseSync): boolean {
  try {
    return database.prepare('pragma quick_check(1)').get()?.['quick_check'] === 'ok';
  } catch {
    return false;
  }
}

function openError(error: unknown, path: string): unknown {
  if (primaryCode(error) !== SQLITE_BUSY) return error;
  return new MemoryError('memory_locked', `Another process holds ${path}. Wait until it ends.`, { cause: error });
}

const primaryCode = (error: unknown): number | null =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : null;

/** Runs `work` in a transaction: all of it is stored or none. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('begin immediate');
  try {
    const result = work();
    database.exec('commit');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

/**
 * Empties the log of a process that was killed, which may have bytes of forgotten and replaced memories. On a full disk the log stays
 * until memories are forgotten next.
 */
function emptyOldLog(database: DatabaseSync): void {
  try {
    emptyLog(database);
  } catch (error) {
    if (isDamage(error, null)) throw error;
  }
}

/** Moves everything into the main file and empties the write-ahead log, so that no old page stays in it. */
export function emptyLog(database: DatabaseSync): void {
  database.exec('pragma wal_checkpoint(truncate)');
}
