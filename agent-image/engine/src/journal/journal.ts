import type { JournalEvent } from './event.ts';

export type Payload = Readonly<{ ref: string; text: string }>;

/** An event at its place in the journal. Places count up from 1. Only a restored journal has gaps. */
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

/** One write: all of it or none of it. */
export type JournalWrite = Readonly<{
  events: readonly JournalEvent[];
  payloads: readonly Payload[];
  /** True if the write must outlast a loss of power: `append` then returns only after the disk has the write. */
  sync: boolean;
  /**
   * True if the write may join the next one. A killed process may then lose it, as if it had been killed before; it has it at the latest
   * when the event loop turns. A killed process loses no other write.
   */
  soon?: boolean;
}>;

/** The append-only record of an engine. One process writes it. Every read has a limit. */
export type Journal = Readonly<{
  /** The fence of this opening: greater than that of every event before it. */
  fence: number;
  /** The secret of the references. A mirror keeps it, since a restored journal needs the same. */
  salt: string;
  lastSeq: () => number;
  append: (write: JournalWrite) => void;
  /** Makes the reference of a text. Stores nothing. */
  refer: (text: string) => Payload;
  /** Null for a text that was deleted. */
  textOf: (ref: string) => string | null;
  eventsOf: (run: string) => RunEvents;
  /** For a mirror: entries after a place, oldest first. Writes that wait are carried out before. */
  readAfter: (seq: number, limit: number) => Readonly<{ entries: readonly JournalEntry[]; next: number }>;
  readRunAfter: (run: string, seq: number, limit: number) => readonly JournalEntry[];
  rowOf: (run: string) => RunRow | null;
  lastRunOf: (conversation: string) => RunRow | null;
  close: () => void;
}>;

export type JournalErrorCode =
  | 'journal_locked'
  | 'journal_newer'
  | 'journal_damaged'
  | 'journal_foreign'
  | 'journal_too_large'
  | 'journal_unwritable';

/** A journal that cannot be opened or written. No run continues on it. */
export class JournalError extends Error {
  readonly code: JournalErrorCode;
  constructor(code: JournalErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'JournalError';
    this.code = code;
  }
}
