import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Evidence } from '../memory.ts';
import type { GuardedStore } from '../store/guarded-store.ts';
import { insertMemory, removeMemory, type Parts } from '../store/parts.ts';
import { chunksOf, type Chunk } from './chunk.ts';
import type { Counts, Ingesting, SkipReason, SourceFile } from './documents.ts';
import type { DocumentTables, SourceRow } from './document-tables.ts';
import { MAX_CHUNKS, MAX_FILE_BYTES, MAX_SOURCE_BYTES, MAX_SOURCE_CHUNKS, MAX_SOURCE_FILES } from './limits.ts';
import { readableText, skippedByPath } from './readable-text.ts';

/**
 * Number of pieces that one transaction stores or removes, rounded up to a whole file. Other work may use the process
 * between two transactions.
 */
const CHUNKS_A_BATCH = 32;
const FILES_A_PAGE = 256;
/** Pieces are found by their text alone, so one fingerprint does for all. */
const NO_FINGERPRINT = new Uint8Array(16);
const IMPORTANCE = 0.5;

/** A store with the tables of its sources. */
export type DocumentStore = Readonly<{ guarded: GuardedStore; tablesOf: (parts: Parts) => DocumentTables }>;

type Pass = Readonly<{ source: SourceRow; now: number }> & Ingesting;
type ReadFile = Readonly<{ path: string; sha256: string; bytes: number; chunks: readonly Chunk[] }>;

/** The state of one pass. Mutable. */
type Progress = {
  readonly seen: Set<string>;
  readonly batch: ReadFile[];
  readonly skipped: Record<SkipReason, number>;
  unchanged: number;
  replaced: number;
  removed: number;
  chunks: number;
  bytes: number;
};

/** Makes the pieces of a source equal to its files, batch by batch. Rejects with the reason of the signal. */
export async function ingestFiles(
  store: DocumentStore,
  files: AsyncIterable<SourceFile> | Iterable<SourceFile>,
  pass: Pass,
): Promise<Counts> {
  const progress: Progress = {
    seen: new Set(),
    batch: [],
    skipped: { binary: 0, generated: 0, secret: 0, unreadable: 0, no_room: 0 },
    unchanged: 0,
    replaced: 0,
    removed: 0,
    chunks: 0,
    bytes: 0,
  };
  for await (const file of files) {
    pass.signal?.throwIfAborted();
    if (progress.seen.has(file.path)) continue;
    const skipped = await takeFile(store, { pass, progress }, file);
    if (skipped !== null) progress.skipped[skipped] += 1;
    if (waitingIn(progress) >= CHUNKS_A_BATCH) await storeBatch(store, pass, progress);
  }
  await storeBatch(store, pass, progress);
  await removeUnseen(store, pass, progress);
  return countsOf(progress);
}

type Passing = Readonly<{ pass: Pass; progress: Progress }>;

/** Reads one file if it has changed; returns the reason if it is skipped. */
async function takeFile(
  store: DocumentStore,
  { pass, progress }: Passing,
  { path, read }: SourceFile,
): Promise<SkipReason | null> {
  const byPath = skippedByPath(path);
  if (byPath !== null) return byPath;
  if (progress.seen.size >= MAX_SOURCE_FILES) return 'no_room';
  const data = await read();
  if (data === null || data.length > MAX_FILE_BYTES) return 'unreadable';
  if (progress.bytes + data.length > MAX_SOURCE_BYTES) return 'no_room';
  const sha256 = createHash('sha256').update(data).digest('hex');
  const known = store.guarded.read((parts) => store.tablesOf(parts).file(pass.source.number, path));
  if (known?.sha256 !== sha256) return takeContent(store, progress, { path, sha256, data });
  noteFile(progress, { path, bytes: data.length, chunks: known.chunks });
  progress.unchanged += 1;
  return null;
}

type Content = Readonly<{ path: string; sha256: string; data: Uint8Array }>;

function takeContent(
  { guarded }: DocumentStore,
  progress: Progress,
  { path, sha256, data }: Content,
): SkipReason | null {
  const text = readableText(data);
  if (typeof text !== 'string') return text.skipped;
  const chunks = chunksOf(path, text);
  const stored = guarded.read(({ table }) => table.size()) + waitingIn(progress);
  if (progress.chunks + chunks.length > MAX_SOURCE_CHUNKS || stored + chunks.length > MAX_CHUNKS) return 'no_room';
  noteFile(progress, { path, bytes: data.length, chunks: chunks.length });
  progress.batch.push({ path, sha256, bytes: data.length, chunks });
  return null;
}

/** Pieces that are not stored yet. */
const waitingIn = ({ batch }: Progress): number => batch.reduce((sum, { chunks }) => sum + chunks.length, 0);

type Noted = Readonly<{ path: string; bytes: number; chunks: number }>;

function noteFile(progress: Progress, { path, bytes, chunks }: Noted): void {
  progress.seen.add(path);
  progress.bytes += bytes;
  progress.chunks += chunks;
}

/** Puts the files of the batch in the place of their earlier versions, in one transaction. */
async function storeBatch({ guarded, tablesOf }: DocumentStore, pass: Pass, progress: Progress): Promise<void> {
  const files = progress.batch.splice(0);
  if (files.length === 0) return;
  pass.signal?.throwIfAborted();
  guarded.write((parts) => {
    for (const file of files) if (replaceFile(parts, tablesOf(parts), { file, pass })) progress.replaced += 1;
  });
  pass.onProgress?.(countsOf(progress));
  await nextTurn();
}

type Replacing = Readonly<{ file: ReadFile; pass: Pass }>;

/** True if there was an earlier version. */
function replaceFile(parts: Parts, tables: DocumentTables, { file, pass }: Replacing): boolean {
  const { source, now } = pass;
  const old = tables.file(source.number, file.path);
  if (old !== null) eraseFile(parts, tables, old.number);
  const { path, sha256, bytes, chunks } = file;
  const number = tables.addFile({ source: source.number, path, sha256, bytes, chunks: chunks.length });
  for (const [index, chunk] of chunks.entries()) {
    const place = { session: String(number), turn: index, speaker: `${path} ${chunk.headings}`.trimEnd() };
    const row = { ...chunkRow(source, now), ...place, id: `${number}.${index}:${chunk.from}-${chunk.to}` };
    insertMemory(parts, { ...row, text: chunk.text, fingerprint: NO_FINGERPRINT }, null);
  }
  return old !== null;
}

const chunkRow = (
  { audience, repository, taint }: SourceRow,
  now: number,
): Omit<Evidence, 'id' | 'text' | 'session' | 'turn' | 'speaker'> => ({
  kind: 'evidence',
  layer: 'document',
  audience,
  repository,
  taint,
  at: now,
  lastSaidAt: now,
  importance: IMPORTANCE,
  pinned: false,
  uses: 0,
  lastUsedAt: null,
  repeats: 0,
  state: 'active',
});

const CHUNK_ID = /^(\d+)\.\d+:(\d+)-(\d+)$/;

/** The file's number and the lines in the id of a piece. */
export function placeIn(id: string): Readonly<{ file: number; from: number; to: number }> | null {
  const match = CHUNK_ID.exec(id);
  return match === null ? null : { file: Number(match[1]), from: Number(match[2]), to: Number(match[3]) };
}

/** Removes a file with its pieces. Its caller has a transaction open, and empties the log after it. */
function eraseFile(parts: Parts, tables: DocumentTables, number: number): void {
  for (const { seq, memory } of parts.table.rows(tables.chunksOf(number))) removeMemory(parts, seq, memory);
  tables.eraseFile(number);
}

/** Removes the files that the pass has not seen. */
async function removeUnseen({ guarded, tablesOf }: DocumentStore, pass: Pass, progress: Progress): Promise<void> {
  let after = 0;
  for (;;) {
    const from = after;
    const page = guarded.read((parts) => tablesOf(parts).filesAfter(pass.source.number, from, FILES_A_PAGE));
    const last = page.at(-1);
    if (last === undefined) return;
    for (const { number } of page.filter(({ path }) => !progress.seen.has(path))) {
      pass.signal?.throwIfAborted();
      guarded.write((parts) => eraseFile(parts, tablesOf(parts), number));
      progress.removed += 1;
      await nextTurn();
    }
    after = last.number;
  }
}

/** Removes some files of a source that is being removed, then the source. Returns false once it is gone. */
export function removeSome({ guarded, tablesOf }: DocumentStore, source: number): boolean {
  return guarded.write((parts) => {
    const tables = tablesOf(parts);
    let removed = 0;
    for (const { number, chunks } of tables.filesAfter(source, 0, FILES_A_PAGE)) {
      eraseFile(parts, tables, number);
      removed += chunks;
      if (removed >= CHUNKS_A_BATCH) return true;
    }
    if (tables.filesAfter(source, 0, 1).length > 0) return true;
    tables.eraseSource(source);
    return false;
  });
}

const countsOf = ({ seen, unchanged, replaced, removed, chunks, skipped }: Progress): Counts => ({
  files: seen.size,
  unchanged,
  replaced,
  removed,
  chunks,
  skipped: { ...skipped },
});
