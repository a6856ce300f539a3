import type { DatabaseSync } from 'node:sqlite';
import { digest } from './digest.ts';
import type { JournalEvent } from './event.ts';
import { EVENT_VERSION } from './event.ts';
import type { EventTable } from './event-table.ts';
import { fromRow, openEventTable, readable, toRow } from './event-table.ts';
import type { Journal, JournalEntry, JournalWrite, Payload, RunEvents } from './journal.ts';
import { JournalError } from './journal.ts';
import { openDatabase } from './open-database.ts';
import type { RunTable } from './run-table.ts';
import { openRunTable } from './run-table.ts';

export const MAX_PAYLOAD_BYTES = 16 << 20;
/** Maximum number of events of one run. A run with more could not be resumed, so its budgets must end it earlier. */
const MAX_EVENTS_PER_RUN = 200_000;
/** Maximum number of entries in one read by a mirror. */
export const MAX_READ = 1_000;

/** Opens the journal in a file, or makes a new one. Rejects with `JournalError`. */
export function openSqliteJournal(path: string): Journal {
  const database = openDatabase(path);
  try {
    return journalOn(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

function journalOn(database: DatabaseSync): Journal {
  const salt = String(database.prepare('select salt from header').get()?.['salt']);
  const events = openEventTable(database);
  const { fence, version } = events.last();
  refuseNewer(version);
  const runs = openRunTable(database);
  catchUp(database, events, runs);
  return {
    fence: fence + 1,
    salt,
    lastSeq: () => events.last().seq,
    append: appender(database, events, runs),
    refer: (text) => ({ ref: digest(salt, text), text }),
    ...readers(database, events),
    openRuns: runs.open,
    rowOf: runs.row,
    lastRunOf: runs.lastOf,
    close: () => database.close(),
  };
}

/** The last event has the greatest version, because an older engine does not write to a newer journal. */
function refuseNewer(version: number): void {
  if (version <= EVENT_VERSION) return;
  const message = `The journal has events of version ${version}; this engine knows ${EVENT_VERSION}. Start a newer engine.`;
  throw new JournalError('journal_newer', message);
}

function readers(database: DatabaseSync, events: EventTable) {
  const text = database.prepare('select body from payload where ref = ?');
  return {
    textOf: (ref: string): string | null => {
      const body = text.get(ref)?.['body'];
      return typeof body === 'string' ? body : null;
    },
    eventsOf: (run: string): RunEvents => {
      const found: JournalEvent[] = [];
      for (const row of events.ofRun(run, MAX_EVENTS_PER_RUN)) {
        const read = fromRow(row);
        if (!read.ok) return read;
        found.push(read.event);
      }
      return { ok: true, events: found };
    },
    readAfter: (seq: number, limit: number) => {
      const entries = readable(events.after(seq, Math.min(limit, MAX_READ)));
      return { entries, next: entries.at(-1)?.seq ?? seq };
    },
    readRunAfter: (run: string, seq: number, limit: number): readonly JournalEntry[] =>
      readable(events.ofRunAfter(run, seq, Math.min(limit, MAX_READ))),
  };
}

function appender(database: DatabaseSync, table: EventTable, runs: RunTable) {
  const insertPayload = database.prepare('insert into payload (ref, body) values (?, ?) on conflict do nothing');
  const begin = database.prepare('begin immediate');
  const commit = database.prepare('commit');
  let last = table.last().seq;
  let isSynced: boolean | null = null;

  const insert = ({ events, payloads }: JournalWrite): void => {
    const rows = events.map(toRow);
    for (const { ref, text } of payloads) insertPayload.run(ref, text);
    rows.forEach((row, index) => table.insert(last + 1 + index, row));
    events.forEach((event, index) => runs.apply(last + 1 + index, event));
  };

  return (write: JournalWrite): void => {
    const { events, payloads, sync } = write;
    payloads.forEach(checkSize);
    try {
      if (sync !== isSynced) database.exec(`pragma synchronous = ${sync ? 'full' : 'normal'}`);
      isSynced = sync;
      begin.run();
      insert(write);
      commit.run();
      last += events.length;
    } catch (error) {
      if (database.isTransaction) database.exec('rollback');
      table.forgetNames();
      if (error instanceof JournalError) throw error;
      throw new JournalError('journal_unwritable', `The journal cannot be written: ${String(error)}`, { cause: error });
    }
  };
}

function checkSize({ text }: Payload): void {
  if (text.length <= MAX_PAYLOAD_BYTES / 3) return;
  if (text.length > MAX_PAYLOAD_BYTES || Buffer.byteLength(text) > MAX_PAYLOAD_BYTES)
    throw new JournalError('journal_too_large', `A payload is larger than ${MAX_PAYLOAD_BYTES} bytes. Shorten it.`);
}

/** Brings the projection of runs up to date with the last event. */
function catchUp(database: DatabaseSync, table: EventTable, runs: RunTable): void {
  database.exec('begin immediate');
  for (const row of table.opensAndClosesAfter(runs.seq())) {
    const [seq, read] = [Number(row['seq']), fromRow(row)];
    if (!read.ok)
      throw new JournalError(
        'journal_damaged',
        `The event ${seq} cannot be read. Restore the journal from its mirror.`,
      );
    runs.apply(seq, read.event);
  }
  database.exec('commit');
}
