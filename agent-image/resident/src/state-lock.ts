import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const LOCK_FILE = 'resident.lock';
/** SQLite's code for "another process holds it" (sqlite3.h, SQLITE_BUSY). */
const SQLITE_BUSY = 5;

/** Holds the agent's volume for one process. */
export type StateLock = Readonly<{ release: () => void }>;

/**
 * Takes the exclusive lock of an agent's state folder, or answers null while another process has it.
 *
 * The lock is a byte-range lock that SQLite takes on a file and the kernel lets go of when the process dies,
 * however it dies. A file that holds a process id would not do: the two pods that follow each other have a
 * process namespace each, both call themselves 1, and neither can see whether the other lives.
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
