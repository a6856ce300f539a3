import type { DatabaseSync } from 'node:sqlite';
import { Appender, type MakeRoom } from './appender.ts';
import { digest } from './digest.ts';
import { EVENT_VERSION, type JournalEvent } from './event.ts';
import { fromRow, openEventTable, readable, type EventTable } from './event-table.ts';
import { JournalError, type Journal, type JournalEntry, type RunEvents } from './journal.ts';
import { openDatabase } from './open-database.ts';
import { openPayloadTable, type PayloadTable } from './payload-table.ts';
import { pruneRuns } from './prune.ts';
import { openRunTable, type RunTable } from './run-table.ts';

/** Maximum number of events of one run. A run with more could not be resumed, so its budgets must end it earlier. */
const MAX_EVENTS_PER_RUN = 200_000;
export const MAX_READ = 1_000;

const NO_ROOM: MakeRoom = () => false;

/** Opens or creates a journal. On a full disk a write calls `makeRoom` once. Rejects with `JournalError`. */
export function openSqliteJournal(path: string, makeRoom: MakeRoom = NO_ROOM): Journal {
  const database = openDatabase(path);
  try {
    return journalOn(database, path, makeRoom);
  } catch (error) {
    database.close();
    throw error;
  }
}

function journalOn(database: DatabaseSync, path: string, makeRoom: MakeRoom): Journal {
  const salt = String(database.prepare('select salt from header').get()?.['salt']);
  const events = openEventTable(database);
  const { fence, version } = events.last();
  refuseNewer(version);
  const payloads = openPayloadTable(database);
  const runs = openRunTable(database);
  catchUp(database, events, runs);
  // SQLite does not sync each commit. The appender syncs the writes that request it.
  database.exec('pragma synchronous = normal');
  const appender = new Appender({ database, path, events, payloads, runs, makeRoom });
  return {
    fence: fence + 1,
    salt,
    lastSeq: () => appender.last,
    append: (write) => appender.append(write),
    synced: () => appender.synced(),
    refer: (text) => ({ ref: digest(salt, text), text }),
    ...readers({ events, payloads, own: fence + 1 }, () => appender.flush()),
    rowOf: runs.row,
    lastRunOf: runs.lastOf,
    prune: (retention) => {
      appender.flush();
      const pruned = pruneRuns(database, retention);
      events.forgetNames();
      payloads.forget();
      return pruned;
    },
    openRuns: runs.open,
    close: () => {
      try {
        appender.end();
      } finally {
        database.close();
      }
    },
  };
}

/** The last event has the greatest version, because an older engine does not write to a newer journal. */
function refuseNewer(version: number): void {
  if (version <= EVENT_VERSION) return;
  const message = `The journal has events of version ${version}; this engine knows ${EVENT_VERSION}. Start a newer engine.`;
  throw new JournalError('journal_newer', message);
}

/** A mirror gets only what survives a kill, so the waiting writes are committed first. */
function readers(
  { events, payloads, own }: Readonly<{ events: EventTable; payloads: PayloadTable; own: number }>,
  flush: () => void,
) {
  return {
    textOf: payloads.textOf,
    eventsOf: (run: string): RunEvents => {
      const found: JournalEvent[] = [];
      for (const row of events.ofRun(run, MAX_EVENTS_PER_RUN)) {
        const read = fromRow(row, own);
        if (!read.ok) return read;
        found.push(read.event);
      }
      return { ok: true, events: found };
    },
    readAfter: (seq: number, limit: number) => {
      flush();
      const entries = readable(events.after(seq, Math.min(limit, MAX_READ)), own);
      return { entries, next: entries.at(-1)?.seq ?? seq };
    },
    readRunAfter: (run: string, seq: number, limit: number): readonly JournalEntry[] => {
      flush();
      return readable(events.ofRunAfter(run, seq, Math.min(limit, MAX_READ)), own);
    },
  };
}

function catchUp(database: DatabaseSync, table: EventTable, runs: RunTable): void {
  database.exec('begin immediate');
  for (const row of table.opensAndClosesAfter(runs.seq())) {
    const [seq, read] = [Number(row['seq']), fromRow(row, 0)];
    if (!read.ok)
      throw new JournalError(
        'journal_damaged',
        `The event ${seq} cannot be read. Restore the journal from its mirror.`,
      );
    runs.apply(seq, read.event);
  }
  database.exec('commit');
}
