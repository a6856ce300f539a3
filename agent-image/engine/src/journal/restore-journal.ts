import { renameSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { EVENT_VERSION, type JournalEvent } from './event.ts';
import { openEventTable, toRow } from './event-table.ts';
import { JournalError, type Payload } from './journal.ts';
import { SALT_REF } from './mirror-payloads.ts';
import { openDatabase } from './open-database.ts';
import { openPayloadTable } from './payload-table.ts';
import { readEvent, type RawEvent } from './read-event.ts';

/** Entries as a mirror returns them, oldest first, with the texts that they refer to. */
export type MirrorPage = Readonly<{
  entries: readonly Readonly<{ seq: number; event: RawEvent }>[];
  payloads: readonly Payload[];
}>;

const MAX_OPEN_RUNS = 1_000;

/**
 * Creates the file of a journal from its mirror, and replaces an existing file. Its open runs count as resumed after a lost
 * volume: people decide about their unsettled `once` and `verify` calls. The mirror may lack the last entries. Rejects with
 * `JournalError` for entries that this engine cannot read; an existing file then stays.
 */
export async function restoreSqliteJournal(path: string, pages: AsyncIterable<MirrorPage>): Promise<number> {
  const beside = `${path}.restored`;
  removeDatabase(beside);
  const entries = await copyInto(beside, pages);
  if (entries === 0) return 0;
  removeDatabase(path);
  renameSync(beside, path);
  return entries;
}

/**
 * Appends the mirror's newer entries to a closed journal, all or none. They are missing if a power loss took unsynced writes, or
 * if the volume was restored from an older backup. The open runs count as resumed after a lost volume. Rejects with
 * `JournalError`: `journal_foreign` for the mirror of another journal, otherwise like `restoreSqliteJournal`.
 */
export const catchUpSqliteJournal = (path: string, pages: AsyncIterable<MirrorPage>): Promise<number> =>
  copyInto(path, pages);

async function copyInto(path: string, pages: AsyncIterable<MirrorPage>): Promise<number> {
  let copied = 0;
  let database: DatabaseSync | null = null;
  try {
    for await (const page of pages) {
      if (database === null) {
        database = openMirrored(path, page);
        database.exec('begin immediate');
      }
      insertPage(database, page);
      copied += page.entries.length;
    }
    if (database !== null && copied > 0) markLost(database);
    database?.exec('commit');
  } finally {
    // Closing rolls back an open transaction.
    database?.close();
  }
  return copied;
}

/** Opens or creates the file. The first page of the mirror contains the salt. */
function openMirrored(path: string, { payloads }: MirrorPage): DatabaseSync {
  const salt = payloads.find(({ ref }) => ref === SALT_REF)?.text;
  const database = openDatabase(path, salt);
  const own = database.prepare('select salt from header').get()?.['salt'];
  if (salt === undefined || own === salt) return database;
  database.close();
  throw new JournalError('journal_foreign', `The mirror belongs to another journal than ${path}. Keep one of them.`);
}

function insertPage(database: DatabaseSync, { entries, payloads }: MirrorPage): void {
  const texts = openPayloadTable(database);
  for (const { ref, text } of payloads) if (ref !== SALT_REF) texts.insert(ref, text);
  const events = openEventTable(database);
  for (const entry of entries) events.insert(entry.seq, toRow(checked(entry.event)));
}

function checked(event: RawEvent): JournalEvent {
  const found = readEvent(event);
  if (!found.ok) throw new JournalError(found.code, found.message);
  return found.event;
}

function markLost(database: DatabaseSync): void {
  const events = openEventTable(database);
  const last = events.last();
  const fence = last.fence + 1;
  let { seq } = last;
  for (const { run, stage, at } of events.endsOfOpenRuns(MAX_OPEN_RUNS)) {
    const envelope = { v: EVENT_VERSION, run, stage, fence, at, elapsedMs: 0 };
    events.insert((seq += 1), toRow(checked({ ...envelope, type: 'run_resumed', volumeLost: true })));
  }
}

/** SQLite keeps a log and an index beside an open database file. */
function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
}
