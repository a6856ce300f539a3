import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { EVENT_SCHEMA, UPGRADE_FROM_1 } from './event-table.ts';
import { JournalError } from './journal.ts';
import { PAYLOAD_SCHEMA } from './payload-table.ts';

/** Version of the tables below and of their contents. A journal with a greater one belongs to a newer engine. */
const SCHEMA_VERSION = 3;
/** "HmJl": marks the file as a journal. */
const APPLICATION_ID = 0x486d_4a6c;

/** Primary result codes of SQLite (sqlite3.h). */
const SQLITE_BUSY = 5;
const SQLITE_READ_ONLY = 8;
const SQLITE_CORRUPT = 11;
const SQLITE_CANNOT_OPEN = 14;
const SQLITE_NOT_A_DATABASE = 26;

/** The rest of a page that has no room for another text is lost: stages of 1 KiB take 1.27 times their texts, with pages of 4 KiB 1.35 times. */
const PAGE_BYTES = 8_192;
/** Pages in the write-ahead log before a checkpoint, 4 MiB. A checkpoint syncs two files, and writes each changed page once. */
const CHECKPOINT_PAGES = 500;
/** After a checkpoint the write-ahead log is truncated to this size. */
const MAX_LOG_BYTES = 8 << 20;

/**
 * The journal itself: events, payloads, and the salt of the references to payloads. Payloads may be deleted, events never. All
 * other tables are projections (`run-table.ts`).
 */
const SCHEMA = `
create table header (
  one integer primary key check (one = 1),
  salt text not null
);
${EVENT_SCHEMA}${PAYLOAD_SCHEMA}pragma application_id = ${APPLICATION_ID};
pragma user_version = ${SCHEMA_VERSION};
`;

/**
 * Opens the file of a journal and locks it until the journal is closed or the process ends: the kernel always releases SQLite's
 * lock. SQLite rolls back a write that a kill or a power loss has interrupted. A new journal has the given salt, by default a
 * random one.
 */
export function openDatabase(path: string, salt = newSalt()): DatabaseSync {
  const database = openFile(path);
  try {
    database.exec(`pragma page_size = ${PAGE_BYTES}`);
    database.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; pragma secure_delete = on;');
    database.exec(
      `pragma journal_size_limit = ${MAX_LOG_BYTES}; pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}; pragma synchronous = full; begin immediate;`,
    );
    prepareSchema(database, path, salt);
    database.exec('commit');
    return database;
  } catch (error) {
    database.close();
    throw openError(error, path);
  }
}

function openFile(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { timeout: 0 });
  } catch (error) {
    throw openError(error, path);
  }
}

function prepareSchema(database: DatabaseSync, path: string, salt: string): void {
  const version = numberOf(database, 'user_version');
  const owner = numberOf(database, 'application_id');
  if (version === 0 && owner === 0 && numberOf(database, 'schema_version') === 0) {
    database.exec(SCHEMA);
    database.prepare('insert into header (one, salt) values (1, ?)').run(salt);
    return;
  }
  if (owner !== APPLICATION_ID)
    throw new JournalError('journal_foreign', `${path} is not a journal. Give the path of a journal or of a new file.`);
  if (version > SCHEMA_VERSION) {
    const message = `${path} has schema ${version}; this engine knows ${SCHEMA_VERSION}. Start a newer engine.`;
    throw new JournalError('journal_newer', message);
  }
  // Version 3 adds packed bodies of events and compressed texts to those that a journal has.
  if (version < SCHEMA_VERSION)
    database.exec(`${version === 1 ? UPGRADE_FROM_1 : ''} pragma user_version = ${SCHEMA_VERSION};`);
}

const newSalt = (): string => randomBytes(16).toString('base64url');

function numberOf(database: DatabaseSync, pragma: string): number {
  const value = database.prepare(`pragma ${pragma}`).get()?.[pragma];
  return typeof value === 'number' ? value : 0;
}

function openError(error: unknown, path: string): unknown {
  if (error instanceof JournalError || !(error instanceof Error) || !('errcode' in error)) return error;
  const primary = Number(error.errcode) & 0xff;
  if (primary === SQLITE_BUSY)
    return new JournalError('journal_locked', `Another engine holds ${path}. Wait until it ends.`, { cause: error });
  if (primary === SQLITE_CORRUPT || primary === SQLITE_NOT_A_DATABASE) {
    const message = `${path} is damaged: ${error.message}. Restore the journal from its mirror.`;
    return new JournalError('journal_damaged', message, { cause: error });
  }
  if (primary === SQLITE_CANNOT_OPEN || primary === SQLITE_READ_ONLY) {
    const message = `${path} cannot be written: ${error.message}. Let this program write the folder, or choose another one.`;
    return new JournalError('journal_unwritable', message, { cause: error });
  }
  return error;
}
