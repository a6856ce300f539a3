import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { JournalEvent } from './event.ts';
import { toRow, type EventRow, type EventTable } from './event-table.ts';
import { JournalError, type JournalWrite, type Payload } from './journal.ts';
import { MAX_PAYLOAD_BYTES, type PayloadTable } from './payload-table.ts';
import type { RunTable } from './run-table.ts';

type Placed = Readonly<{ first: number; rows: readonly EventRow[]; events: readonly JournalEvent[] }> &
  Pick<JournalWrite, 'payloads'>;

/** Frees space on a full disk. Returns true if it did; the write is then retried once. */
export type MakeRoom = () => boolean;

type Parts = Readonly<{
  database: DatabaseSync;
  path: string;
  events: EventTable;
  payloads: PayloadTable;
  runs: RunTable;
  makeRoom: MakeRoom;
}>;

/** Characters of waiting writes from which the next write commits at once, because the event loop may not turn for a long time. */
const MAX_WAITING_CHARS = 1 << 20;

/** SQLite's primary result code for a full disk (sqlite3.h). */
const SQLITE_FULL = 13;

/**
 * Writes to a journal. A write with `soon` waits for the next write and shares its transaction, at most until the next turn of
 * the event loop. If the transaction fails, its writes come first in the next one, because the engine has already continued.
 */
export class Appender {
  readonly #parts: Parts;
  readonly #begin;
  readonly #commit;
  /** Writes of the open transaction, or of a failed one. */
  readonly #waiting: Placed[] = [];
  #waitingChars = 0;
  #isOpen = false;
  #last: number;
  #isDue = false;
  /** True after a failed transaction: the next write is committed at once, and throws if that fails again. */
  #hasFailed = false;
  /** The write-ahead log. SQLite keeps this file while the journal is open. */
  #log: number | null = null;
  #nextSync: Promise<void> | null = null;
  /** After a failed sync the content of the disk is unknown. Only reopening the journal reads it. */
  #lost: JournalError | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#begin = parts.database.prepare('begin immediate');
    this.#commit = parts.database.prepare('commit');
    this.#last = parts.events.last().seq;
  }

  /** The position of the last event. */
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
      if (soon && !sync && !this.#hasFailed && this.#waitingChars < MAX_WAITING_CHARS) return void this.#wait(placed);
      this.#close();
    });
    this.#last += events.length;
    if (sync) this.#sync();
  }

  /** Resolves after a sync at the next turn of the event loop, which all callers until then share. */
  synced(): Promise<void> {
    this.#nextSync ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#nextSync = null;
        try {
          this.flush();
          this.#sync();
          resolve();
        } catch (error) {
          reject(error);
        }
      });
    });
    return this.#nextSync;
  }

  flush(): void {
    if (this.#waiting.length === 0) return;
    this.#try(() => {
      this.#open();
      this.#close();
    });
  }

  /** Closes the writer. Append nothing afterwards. */
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
    const { events: table, payloads: texts, runs } = this.#parts;
    for (const { ref, text } of payloads) texts.insert(ref, text);
    rows.forEach((row, index) => table.insert(first + index, row));
    events.forEach((event, index) => runs.apply(first + index, event));
  }

  #wait(placed: Placed): void {
    this.#waiting.push(placed);
    this.#waitingChars += charsOf(placed);
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      try {
        this.flush();
      } catch {
        // The writes stay queued; the next `append` retries them, and throws.
      }
    });
  }

  #close(): void {
    this.#commit.run();
    this.#isOpen = false;
    this.#hasFailed = false;
    this.#waiting.length = 0;
    this.#waitingChars = 0;
  }

  /** Commits are in the file but not safe from a power loss. SQLite's own sync is slower, because it cannot follow a commit. */
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
    const { database, events, payloads } = this.#parts;
    if (database.isTransaction) database.exec('rollback');
    this.#isOpen = false;
    this.#hasFailed = true;
    events.forgetNames();
    payloads.forget();
  }
}

const isFull = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_FULL;

const unwritable = (error: unknown): JournalError =>
  new JournalError('journal_unwritable', `The journal cannot be written: ${String(error)}`, { cause: error });

const charsOf = ({ rows, payloads }: Placed): number =>
  rows.reduce((sum, { body }) => sum + body.length, 0) + payloads.reduce((sum, { text }) => sum + text.length, 0);

function checkSize({ text }: Payload): void {
  if (Buffer.byteLength(text) > MAX_PAYLOAD_BYTES)
    throw new JournalError('journal_too_large', `A payload is larger than ${MAX_PAYLOAD_BYTES} bytes. Shorten it.`);
}
