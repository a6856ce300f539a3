import type { DatabaseSync } from 'node:sqlite';
import { digest } from './digest.ts';
import { ENVELOPE_KEYS, EVENT_VERSION, JournalEvent } from './event.ts';
import type { Journal, JournalEntry, JournalWrite, Payload, RunEvents } from './journal.ts';
import { JournalError } from './journal.ts';
import { openDatabase } from './open-database.ts';
import type { ReadEvent } from './read-event.ts';
import { readEvent } from './read-event.ts';
import type { RunTable } from './run-table.ts';
import { openRunTable } from './run-table.ts';

export const MAX_EVENT_BYTES = 64 << 10;
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
  const read = readers(database);
  refuseNewer(database);
  const runs = openRunTable(database);
  catchUp(database, read, runs);
  return {
    fence: read.lastFence() + 1,
    salt,
    append: appender(database, read, runs),
    refer: (text) => ({ ref: digest(salt, text), text }),
    ...read,
    openRuns: runs.open,
    rowOf: runs.row,
    lastRunOf: runs.lastOf,
    close: () => database.close(),
  };
}

/** The last event has the greatest version, because an older engine does not write to a newer journal. */
function refuseNewer(database: DatabaseSync): void {
  const version = Number(database.prepare('select v from event order by seq desc limit 1').get()?.['v'] ?? 0);
  if (version <= EVENT_VERSION) return;
  const message = `The journal has events of version ${version}; this engine knows ${EVENT_VERSION}. Start a newer engine.`;
  throw new JournalError('journal_newer', message);
}

export const COLUMNS = 'seq, run, v, type, stage, fence, at, elapsed_ms, body';

function readers(database: DatabaseSync) {
  const lastSeq = database.prepare('select max(seq) as seq from event');
  const lastFence = database.prepare('select fence from event order by seq desc limit 1');
  const text = database.prepare('select body from payload where ref = ?');
  const ofRun = database.prepare(`select ${COLUMNS} from event where run = ? order by seq limit ?`);
  const after = database.prepare(`select ${COLUMNS} from event where seq > ? order by seq limit ?`);
  const ofRunAfter = database.prepare(`select ${COLUMNS} from event where run = ? and seq > ? order by seq limit ?`);
  return {
    lastSeq: () => Number(lastSeq.get()?.['seq'] ?? 0),
    lastFence: () => Number(lastFence.get()?.['fence'] ?? 0),
    textOf: (ref: string): string | null => {
      const body = text.get(ref)?.['body'];
      return typeof body === 'string' ? body : null;
    },
    eventsOf: (run: string): RunEvents => {
      const events: JournalEvent[] = [];
      for (const row of ofRun.iterate(run, MAX_EVENTS_PER_RUN)) {
        const found = fromRow(row);
        if (!found.ok) return found;
        events.push(found.event);
      }
      return { ok: true, events };
    },
    readAfter: (seq: number, limit: number) => {
      const entries = readable(after.iterate(seq, Math.min(limit, MAX_READ)));
      return { entries, next: entries.at(-1)?.seq ?? seq };
    },
    readRunAfter: (run: string, seq: number, limit: number): readonly JournalEntry[] =>
      readable(ofRunAfter.iterate(run, seq, Math.min(limit, MAX_READ))),
  };
}

/** Stops before an event that this engine cannot read, so that a mirror loses nothing. */
function readable(rows: Iterable<Row>): readonly JournalEntry[] {
  const entries: JournalEntry[] = [];
  for (const row of rows) {
    const found = fromRow(row);
    if (!found.ok) break;
    entries.push({ seq: Number(row['seq']), event: found.event });
  }
  return entries;
}

type Row = Readonly<Record<string, unknown>>;

function fromRow({ run, v, type, stage, fence, at, elapsed_ms: elapsedMs, body }: Row): ReadEvent {
  try {
    const parsed: unknown = JSON.parse(String(body));
    return readEvent({ ...(typeof parsed === 'object' ? parsed : {}), run, v, type, stage, fence, at, elapsedMs });
  } catch {
    return { ok: false, code: 'journal_damaged', message: `An event of the run ${String(run)} is not JSON.` };
  }
}

function appender(database: DatabaseSync, read: Pick<Journal, 'lastSeq'>, runs: RunTable) {
  const insertEvent = database.prepare(`insert into event (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const insertPayload = database.prepare('insert into payload (ref, body) values (?, ?) on conflict do nothing');
  let last = read.lastSeq();
  let isSynced: boolean | null = null;

  return ({ events, payloads, sync }: JournalWrite): void => {
    const rows = events.map(toRow);
    payloads.forEach(checkSize);
    try {
      if (sync !== isSynced) database.exec(`pragma synchronous = ${sync ? 'full' : 'normal'}`);
      isSynced = sync;
      database.exec('begin immediate');
      for (const { ref, text } of payloads) insertPayload.run(ref, text);
      rows.forEach((row, index) => insertEvent.run(last + 1 + index, ...row));
      events.forEach((event, index) => runs.apply(last + 1 + index, event));
      runs.saveSeq(last + events.length);
      database.exec('commit');
      last += events.length;
    } catch (error) {
      if (database.isTransaction) database.exec('rollback');
      throw new JournalError('journal_unwritable', `The journal cannot be written: ${String(error)}`, { cause: error });
    }
  };
}

export type EventRow = [string, number, string, string, number, number, number, string];

/** Checks the event as a reader will, so that every written event can be read. */
export function toRow(event: JournalEvent): EventRow {
  const { run, v, type, stage, fence, at, elapsedMs } = JournalEvent.parse(event);
  const body = JSON.stringify(Object.fromEntries(Object.entries(event).filter(([key]) => !ENVELOPE_KEYS.has(key))));
  if (Buffer.byteLength(body) > MAX_EVENT_BYTES) throw tooLarge(`An event of type ${type}`, MAX_EVENT_BYTES);
  return [run, v, type, stage, fence, at, elapsedMs, body];
}

function checkSize({ text }: Payload): void {
  if (text.length > MAX_PAYLOAD_BYTES || Buffer.byteLength(text) > MAX_PAYLOAD_BYTES)
    throw tooLarge('A payload', MAX_PAYLOAD_BYTES);
}

const tooLarge = (thing: string, limit: number): JournalError =>
  new JournalError('journal_too_large', `${thing} is larger than ${limit} bytes. Shorten it.`);

/** Brings the projections up to date with the last event. */
function catchUp(database: DatabaseSync, read: ReturnType<typeof readers>, runs: RunTable): void {
  let at = runs.seq();
  database.exec('begin immediate');
  while (at < read.lastSeq()) {
    const { entries, next } = read.readAfter(at, MAX_READ);
    if (entries.length === 0)
      throw new JournalError(
        'journal_damaged',
        `The event ${at + 1} cannot be read. Restore the journal from its mirror.`,
      );
    for (const { seq, event } of entries) runs.apply(seq, event);
    at = next;
  }
  runs.saveSeq(at);
  database.exec('commit');
}
