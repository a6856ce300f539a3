import type { JournalEvent } from './event.ts';
import type { Retention } from './prune.ts';

export type Payload = Readonly<{ ref: string; text: string }>;

/** An event with its position in the journal. Positions count up from 1. Only a restored journal has gaps. */
export type JournalEntry = Readonly<{ seq: number; event: JournalEvent }>;

export type RunEvents =
  | Readonly<{ ok: true; events: readonly JournalEvent[] }>
  | Readonly<{ ok: false; code: 'journal_newer' | 'journal_damaged'; message: string }>;

export type RunRow = Readonly<{
  run: string;
  conversation: string;
  parent: string | null;
  isOpen: boolean;
}>;

/** One atomic write. */
export type JournalWrite = Readonly<{
  events: readonly JournalEvent[];
  payloads: readonly Payload[];
  /** True if the write must survive a power loss: `append` then returns only after the sync to disk. */
  sync: boolean;
  /**
   * True if the write may share the transaction of the next one, at the latest when the event loop turns. A process that is
   * killed before that loses this write, but no other.
   */
  soon?: boolean;
}>;

/** The append-only record of an engine. Only one process writes it. Every read has a limit. */
export type Journal = Readonly<{
  /** The fence of this opening, greater than that of every earlier event. */
  fence: number;
  /** The secret salt of the references. A mirror stores it, because a restored journal needs the same salt. */
  salt: string;
  lastSeq: () => number;
  append: (write: JournalWrite) => void;
  /** Resolves once all writes so far survive a power loss. Callers of one turn of the event loop share a sync. */
  synced: () => Promise<void>;
  /** Computes the reference of a text. Stores nothing. */
  refer: (text: string) => Payload;
  /** Null if the text was deleted. */
  textOf: (ref: string) => string | null;
  eventsOf: (run: string) => RunEvents;
  /** For a mirror: the entries after a position, oldest first. Executes waiting writes first. */
  readAfter: (seq: number, limit: number) => Readonly<{ entries: readonly JournalEntry[]; next: number }>;
  readRunAfter: (run: string, seq: number, limit: number) => readonly JournalEntry[];
  rowOf: (run: string) => RunRow | null;
  lastRunOf: (conversation: string) => RunRow | null;
  /** Deletes closed runs beyond the retention, with their texts; returns their number. Never deletes an open run. */
  prune: (retention: Retention) => number;
  /** Oldest first, at most 1,000. */
  openRuns: () => readonly string[];
  close: () => void;
}>;

export type JournalErrorCode =
  | 'journal_locked'
  | 'journal_newer'
  | 'journal_damaged'
  | 'journal_foreign'
  | 'journal_too_large'
  | 'journal_unwritable';

/** The journal cannot be opened or written, so no run may continue on it. */
export class JournalError extends Error {
  readonly code: JournalErrorCode;
  constructor(code: JournalErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'JournalError';
    this.code = code;
  }
}
