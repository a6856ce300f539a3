import { payloadsOf, SALT_REF, type Journal, type JournalEntry, type Payload } from '@hamlet/engine';
import type { Log } from '../process/json-log.ts';
import { retry, type RetryPorts } from '../village/retry.ts';
import type { JournalBatch, WorkVillage } from '../village/work-village.ts';
import type { RunBook } from './run-book.ts';

/** The wait after an append, in which further appends join the same request. */
const MIRROR_DELAY_MS = 100;
const MAX_ENTRIES = 200;
const MAX_PAYLOADS = 400;
/** Maximum bytes of texts and events in one request; the API takes 1 MiB. */
const MAX_BYTES = 700_000;
/** The API's maximum length of a text. Longer texts are omitted, because half of one could not be parsed. */
const MAX_TEXT_CHARS = 262_144;

export interface MirrorPorts extends RetryPorts {
  readonly journal: Pick<Journal, 'readRunAfter' | 'textOf' | 'refer' | 'salt'>;
  readonly work: Pick<WorkVillage, 'mirror'>;
  readonly book: Pick<RunBook, 'find'>;
  readonly log: Log;
}

export interface JournalMirror {
  noteEntry(run: string): void;
  /** Resolves when the API has all entries of the run, refuses them, or the signal aborts. */
  flush(run: string, signal: AbortSignal): Promise<void>;
  close(run: string): void;
}

class Track {
  /** The position of the last entry that the API has; 0 before the first request. */
  at = 0;
  isBegun = false;
  isRefused = false;
  timer: NodeJS.Timeout | null = null;
  pushing: Promise<void> = Promise.resolve();
  readonly ended = new AbortController();
}

export function createJournalMirror(ports: MirrorPorts): JournalMirror {
  const tracks = new Map<string, Track>();
  const trackOf = (run: string): Track => {
    const track = tracks.get(run) ?? new Track();
    tracks.set(run, track);
    return track;
  };
  const push = (run: string, signal: AbortSignal): Promise<void> => {
    const track = trackOf(run);
    if (track.timer !== null) clearTimeout(track.timer);
    track.timer = null;
    const ending = AbortSignal.any([signal, track.ended.signal]);
    // Only one request at a time, so that the mirror never has an entry without all earlier ones.
    track.pushing = track.pushing.then(() => pushAll(ports, { run, track, signal: ending })).catch(() => {});
    return track.pushing;
  };
  return {
    noteEntry: (run) => {
      const track = trackOf(run);
      track.timer ??= setTimeout(() => void push(run, track.ended.signal), MIRROR_DELAY_MS);
    },
    flush: push,
    close: (run) => {
      const track = tracks.get(run);
      if (track === undefined) return;
      if (track.timer !== null) clearTimeout(track.timer);
      track.ended.abort();
      tracks.delete(run);
    },
  };
}

type Push = Readonly<{ run: string; track: Track; signal: AbortSignal }>;

async function pushAll(ports: MirrorPorts, { run, track, signal }: Push): Promise<void> {
  while (!track.isRefused && !signal.aborted) {
    const booked = ports.book.find(run);
    if (booked === undefined) return;
    const batch = batchOf(ports.journal, { run, after: track.at, isFirst: !track.isBegun });
    if (batch === null) return;
    const answer = await retry(() => ports.work.mirror(run, booked.lease, batch), signal, ports);
    if (answer.kind === 'refused') {
      track.isRefused = true;
      ports.log.warn('journal_not_mirrored', { run_id: run, code: answer.code, detail: answer.detail });
      return;
    }
    track.isBegun = true;
    // After a restart the mirror may have more of the run than this process has sent.
    track.at = Math.max(batch.entries.at(-1)?.seq ?? 0, answer.value.stored_through);
  }
}

type Reader = Pick<Journal, 'readRunAfter' | 'textOf' | 'refer' | 'salt'>;

/** The next entries of a run with their texts, at least one; null if there are none. The first batch contains the salt. */
function batchOf(
  journal: Reader,
  { run, after, isFirst }: Readonly<{ run: string; after: number; isFirst: boolean }>,
): JournalBatch | null {
  const entries: JournalEntry[] = [];
  const payloads: Payload[] = isFirst ? [{ ref: SALT_REF, text: journal.salt }] : [];
  const refs = new Set<string>();
  let bytes = 0;
  for (const entry of journal.readRunAfter(run, after, MAX_ENTRIES)) {
    const texts = textsOf(journal, entry).filter(({ ref }) => !refs.has(ref));
    const size = sizeOf(entry, texts);
    if (entries.length > 0 && (bytes + size > MAX_BYTES || payloads.length + texts.length > MAX_PAYLOADS)) break;
    bytes += size;
    entries.push(entry);
    payloads.push(...texts);
    for (const { ref } of texts) refs.add(ref);
  }
  return entries.length === 0 ? null : { entries, payloads };
}

const textsOf = (journal: Reader, { event }: JournalEntry): readonly Payload[] =>
  payloadsOf(journal, event).filter(({ text }) => text.length <= MAX_TEXT_CHARS);

/** Size on the wire in bytes, including the escapes of JSON. */
const sizeOf = (entry: JournalEntry, texts: readonly Payload[]): number =>
  JSON.stringify(entry).length + texts.reduce((sum, { text }) => sum + Buffer.byteLength(JSON.stringify(text)), 0);
