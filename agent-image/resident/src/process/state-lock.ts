import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const LOCK_FILE = 'resident.lock';
/** SQLite's error code when another process holds the lock (sqlite3.h). */
const SQLITE_BUSY = 5;

/** The lock of an agent's volume. */
export type StateLock = Readonly<{ release: () => void }>;

/**
 * Takes the exclusive lock of an agent's state folder; null while another process holds it.
 *
 * SQLite takes a byte-range lock on a file, which the kernel releases when the process ends for any reason. A file with a process
 * id would not do: successive pods have separate process namespaces, so both see themselves as process 1 and cannot see each other.
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
