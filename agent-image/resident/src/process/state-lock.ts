import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const LOCK_FILE = 'resident.lock';
/** SQLite's error code when another process holds the lock (sqlite3.h). */
const SQLITE_BUSY = 5;

export type StateLock = Readonly<{ release: () => void }>;

/**
 * Takes the exclusive lock of an agent's state folder; null while another process holds it. SQLite locks bytes of a file; the
 * kernel releases them when the process ends for any reason. A process id would not work, because every pod sees itself as
 * process 1.
 */
export function tryLockState(stateDir: string): StateLock | null {
  mkdirSync(stateDir, { recursive: true });
  const database = new DatabaseSync(join(stateDir, LOCK_FILE));
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw error;
  }
  return { release: () => database.close() };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
