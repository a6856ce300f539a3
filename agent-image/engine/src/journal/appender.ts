import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { JournalEvent } from './event.ts';
import { toRow, type EventRow, type EventTable } from './event-table.ts';
import { JournalError, type JournalWrite, type Payload } from './journal.ts';
import type { RunTable } from './run-table.ts';

export const MAX_PAYLOAD_BYTES = 16 << 20;

type Placed = Readonly<{ first: number; rows: readonly EventRow[]; events: readonly JournalEvent[] }> &
  Pick<JournalWrite, 'payloads'>;

/** Frees room on a full disk. True if it did: then the write is tried once more. */
export type MakeRoom = () => boolean;

type Parts = Readonly<{
  database: DatabaseSync;
  path: string;
  events: EventTable;
  runs: RunTable;
  makeRoom: MakeRoom;
}>;

/** SQLite's code for a full disk (sqlite3.h), without its extended part. */
const SQLITE_FULL = 13;

/**
 * Writes to a journal. A write that may come `soon` waits for the next one in the same transaction, at most until the event loop turns.
 * Mutable, because it holds the transaction. If that transaction fails, its writes come first in the next one: the engine has continued.
 */
export class Appender {
  readonly #parts: Parts;
  readonly #begin;
  readonly #commit;
  readonly #insertPayload;
  /** Writes of the open transaction, or of one that failed. */
  readonly #waiting: Placed[] = [];
  #isOpen = false;
  #last: number;
  #isDue = false;
  /** The write-ahead log, which SQLite keeps as long as the journal is open. */
  #log: number | null = null;
  /** After a failed sync no program knows what the disk has. Only another opening reads that. */
  #lost: JournalError | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#begin = parts.database.prepare('begin immediate');
    this.#commit = parts.database.prepare('commit');
    this.#insertPayload = parts.database.prepare(
      'insert into payload (ref, body) values (?, ?) on conflict do nothing',
    );
    this.#last = parts.events.last().seq;
  }

  /** The place of the last event. */
  get last(): number {
    return this.#last;
  }

  append({ events, payloads, sync, soon = false }: JournalWrite): void {
    if (this.#lost !== null) throw this.#lost;
    const placed = { first: this.#last + 1, rows: events.map(toRow), events, payloads };
    payloads.forEach(checkSize);
    this.#try(() => {
      this.#open();
      this.#insert(placed);
      if (soon && !sync) return void this.#wait(placed);
      this.#close();
    });
    this.#last += events.length;
    if (sync) this.#sync();
  }

  flush(): void {
    if (this.#waiting.length === 0) return;
    this.#try(() => {
      this.#open();
      this.#close();
    });
  }

  /** Ends the work. Nothing may be appended after it. */
  end(): void {
    try {
      this.flush();
    } finally {
      if (this.#log !== null) closeSync(this.#log);
      this.#log = null;
    }
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#begin.run();
    this.#isOpen = true;
    for (const placed of this.#waiting) this.#insert(placed);
  }

  #insert({ first, rows, events, payloads }: Placed): void {
    const { events: table, runs } = this.#parts;
    for (const { ref, text } of payloads) this.#insertPayload.run(ref, text);
    rows.forEach((row, index) => table.insert(first + index, row));
    events.forEach((event, index) => runs.apply(first + index, event));
  }

  #wait(placed: Placed): void {
    this.#waiting.push(placed);
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      try {
        this.flush();
      } catch {
        // The writes wait on; the next `append` tries again, and throws.
      }
    });
  }

  #close(): void {
    this.#commit.run();
    this.#isOpen = false;
    this.#waiting.length = 0;
  }

  /** The commits are in the file; a loss of power could still take them. SQLite's own sync takes longer, since it cannot follow a commit. */
  #sync(): void {
    try {
      this.#log ??= openSync(`${this.#parts.path}-wal`, 'r+');
      fdatasyncSync(this.#log);
    } catch (error) {
      this.#lost = unwritable(error);
      throw this.#lost;
    }
  }

  #try(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#rollBack();
      if (!isFull(error) || !this.#parts.makeRoom()) throw unwritable(error);
      try {
        act();
      } catch (again) {
        this.#rollBack();
        throw unwritable(again);
      }
    }
  }

  #rollBack(): void {
    const { database, events } = this.#parts;
    if (database.isTransaction) database.exec('rollback');
    this.#isOpen = false;
    events.forgetNames();
  }
}

const isFull = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_FULL;

const unwritable = (error: unknown): JournalError =>
  new JournalError('journal_unwritable', `The journal cannot be written: ${String(error)}`, { cause: error });

function checkSize({ text }: Payload): void {
  if (Buffer.byteLength(text) > MAX_PAYLOAD_BYTES)
    throw new JournalError('journal_too_large', `A payload is larger than ${MAX_PAYLOAD_BYTES} bytes. Shorten it.`);
}
