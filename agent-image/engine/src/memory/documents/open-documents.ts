import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { embedSome, vectorsOf } from '../embedding/embed-some.ts';
import { hashedEmbedder } from '../embedding/hashed-embedder.ts';
import { MAX_NAME_CHARS, MAX_QUERY_CHARS } from '../limits.ts';
import type { Embedder, Hit, MemoryOptions, RankingProfile } from '../memory.ts';
import { AudienceSchema } from '../new-memory.ts';
import { DEFAULT_PROFILE } from '../ranking/profile.ts';
import { search } from '../search/search.ts';
import { mayAllKnow } from '../audience.ts';
import { GuardedStore } from '../store/guarded-store.ts';
import { mergeWords } from '../merge-words.ts';
import { emptyLog, openStore } from '../store/open-store.ts';
import { indexSome, openParts, type Parts } from '../store/parts.ts';
import { createTurns } from '../../turns.ts';
import type { DocumentHit, Documents, Ingested, Ingesting, NewSource, Seeing, Source } from './documents.ts';
import { openDocumentTables, type DocumentTables, type SourceRow } from './document-tables.ts';
import { ingestFiles, placeIn, removeSome, type DocumentStore } from './ingest.ts';
import { MAX_SOURCES } from './limits.ts';

const FILE = 'documents.db';
/** Passes run one after another. */
const PASS = 'pass';
/** Removals and merges of the index run one after another. They do not wait for a pass, which may read slow files. */
const INDEX = 'index';
const ID_BYTES = 8;
const DEFAULT_HITS = 10;
const MAX_SOURCE_NAME_CHARS = 1_000;
const MAX_REPOSITORY_CHARS = 2_000;

/** Pieces of files are equally new and important. Those beside a piece in its file count as the turns beside a turn. */
const PROFILE: RankingProfile = {
  ...DEFAULT_PROFILE,
  name: 'documents',
  version: 1,
  weights: { ...DEFAULT_PROFILE.weights, recency: 0, importance: 0, use: 0, pin: 0 },
};

const NewSourceSchema = z.strictObject({
  id: z.string().min(1).max(MAX_NAME_CHARS).optional(),
  name: z.string().min(1).max(MAX_SOURCE_NAME_CHARS),
  audience: AudienceSchema,
  repository: z.string().min(1).max(MAX_REPOSITORY_CHARS).nullish(),
  taint: z.enum(['none', 'outside']).optional(),
});

type Options = Pick<MemoryOptions, 'dir' | 'embedder' | 'clock'>;

/**
 * Documents in a file of their own beside the memories. It is opened at the first use, and made by the first `ingest`. A damaged file
 * is emptied, because the documents themselves are elsewhere: its sources stay, and wait for the next pass.
 */
export function openDocuments(options: Options): Documents {
  const documents = new OpenDocuments(options);
  return {
    ingest: (source, files, how = {}) => documents.ingest(source, files, how),
    find: (source) => documents.find(source),
    search: (query, seen) => documents.search(query, seen),
    sources: (seen) => documents.sources(seen).map(withoutNumber),
    remove: (id, seen) => documents.remove(id, seen),
    maintain: () => documents.maintain(),
    size: () => documents.size(),
    close: () => documents.close(),
  };
}

type Files = Parameters<Documents['ingest']>[1];
type Begun = Readonly<{ row: SourceRow; wasInterrupted: boolean; files: Files }>;
type Signalled = Ingesting & Readonly<{ signal: AbortSignal }>;

const withoutNumber = ({ number: _number, ...source }: SourceRow): Source => source;

class OpenDocuments {
  readonly #path: string;
  readonly #embedder: Embedder;
  readonly #clock: () => number;
  #store: DocumentStore | null = null;
  #embeddedTo = 0;
  #pass: Readonly<{ source: number; removal: AbortController }> | null = null;
  readonly #inTurn = createTurns();

  constructor({ dir, embedder = hashedEmbedder(), clock = Date.now }: Options) {
    this.#path = join(dir, FILE);
    this.#embedder = embedder;
    this.#clock = clock;
  }

  ingest(source: NewSource, files: Files, how: Ingesting): Promise<Ingested> {
    return this.#inTurn(PASS, async () => {
      const parsed = NewSourceSchema.safeParse(source);
      if (!parsed.success) return refused('invalid', z.prettifyError(parsed.error));
      const store = (this.#store ??= this.#open());
      const known = this.find(source);
      const row = this.#begin(store, source);
      if (row === null)
        return refused('too_many_sources', `The memory has ${MAX_SOURCES} sources of documents. Remove one first.`);
      const removal = new AbortController();
      this.#pass = { source: row.number, removal };
      const signal = AbortSignal.any([removal.signal, ...(how.signal === undefined ? [] : [how.signal])]);
      try {
        return await this.#read(store, { row, wasInterrupted: known?.isWhole === false, files }, { ...how, signal });
      } catch (error) {
        if (removal.signal.aborted) return REMOVED;
        throw error;
      } finally {
        this.#pass = null;
        emptyLog(store.guarded.database);
      }
    });
  }

  /** Makes a source equal to its files. Rejects when the signal aborts, even while a file is read. */
  async #read(store: DocumentStore, { row, wasInterrupted, files }: Begun, how: Signalled): Promise<Ingested> {
    const { signal } = how;
    const counts = await beforeAbort(signal, ingestFiles(store, files, { ...how, source: row, now: this.#clock() }));
    if (wasInterrupted || counts.replaced + counts.removed > 0) await this.#inTurn(INDEX, () => mergeAll(store));
    signal.throwIfAborted();
    store.guarded.write((parts) => store.tablesOf(parts).endPass(row.number, counts.files, this.#clock()));
    return { outcome: 'ingested', id: row.id, counts };
  }

  /** The source with a pass begun; null if there are too many. */
  #begin({ guarded, tablesOf }: DocumentStore, source: NewSource): SourceRow | null {
    return guarded.write((parts) => {
      const tables = tablesOf(parts);
      if (tables.source(source) === null) {
        if (tables.sources().length >= MAX_SOURCES) return null;
        tables.addSource({ ...source, id: source.id ?? nextId(), since: this.#clock() });
      }
      const row = tables.source(source);
      if (row !== null) tables.beginPass(row.number, source.taint ?? 'none');
      return tables.source(source);
    });
  }

  async search(query: string, { audience, place, k = DEFAULT_HITS }: Parameters<Documents['search']>[1]) {
    const store = this.#opened();
    if (store === null) return [];
    const text = query.slice(0, MAX_QUERY_CHARS);
    const [vector = null] = await vectorsOf(this.#embedder, [text]);
    const options = { audience, k, ...(place !== undefined && { place }) };
    return store.guarded.read((parts): readonly DocumentHit[] => {
      const hits = search(parts, { text, vector, options, profile: PROFILE, now: this.#clock() });
      return cited(store.tablesOf(parts), hits);
    });
  }

  find(source: Parameters<Documents['find']>[0]): Source | null {
    const store = this.#opened();
    const row = store?.guarded.read((parts) => store.tablesOf(parts).source(source)) ?? null;
    return row === null ? null : withoutNumber(row);
  }

  sources({ audience, place }: Seeing): readonly SourceRow[] {
    const store = this.#opened();
    if (store === null) return [];
    const isHere = ({ repository }: SourceRow): boolean =>
      place === undefined || repository === null || repository === place;
    return store.guarded
      .read((parts) => store.tablesOf(parts).sources())
      .filter((source) => mayAllKnow(source.audience, audience) && isHere(source));
  }

  async remove(id: string, seen: Seeing): Promise<boolean> {
    const [store, source] = [this.#opened(), this.sources(seen).find((each) => each.id === id)];
    if (store === null || source === undefined) return false;
    store.guarded.write((parts) => store.tablesOf(parts).leave(source.number));
    if (this.#pass?.source === source.number) this.#pass.removal.abort();
    return this.#inTurn(INDEX, async () => {
      while (removeSome(store, source.number)) await nextTurn();
      await mergeAll(store);
      emptyLog(store.guarded.database);
      return true;
    });
  }

  async maintain(): Promise<Readonly<{ embedded: number; more: boolean }>> {
    const store = this.#opened();
    if (store === null) return { embedded: 0, more: false };
    if (await this.#inTurn(INDEX, () => removeLeaving(store))) return { embedded: 0, more: true };
    const indexed = store.guarded.write(indexSome);
    const { embedded, next } = await embedSome(store.guarded, this.#embedder, this.#embeddedTo);
    this.#embeddedTo = next ?? 0;
    return { embedded, more: indexed > 0 || next !== null };
  }

  size(): number {
    return this.#opened()?.guarded.read(({ table }) => table.size()) ?? 0;
  }

  close(): void {
    this.#store?.guarded.database.close();
    this.#store = null;
  }

  #opened(): DocumentStore | null {
    if (this.#store === null && existsSync(this.#path)) this.#store = this.#open();
    return this.#store;
  }

  #open(): DocumentStore {
    const known = new WeakMap<Parts, DocumentTables>();
    const tablesOf = (parts: Parts): DocumentTables => {
      const tables = known.get(parts) ?? openDocumentTables(parts.database);
      known.set(parts, tables);
      return tables;
    };
    const open = (): Parts => {
      const parts = openParts(openStore(this.#path), this.#embedder);
      tablesOf(parts);
      return parts;
    };
    return { guarded: new GuardedStore({ open, salvage: () => emptied(this.#path) }), tablesOf };
  }
}

/** The result of `work`; rejects as soon as the signal aborts, even while `work` still waits for a file. */
function beforeAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', stop));
}

/** One step of a removal that was interrupted. False if there is none. */
async function removeLeaving(store: DocumentStore): Promise<boolean> {
  const { guarded, tablesOf } = store;
  const leaving = guarded.read((parts) => tablesOf(parts).leaving());
  if (leaving === null) return false;
  if (removeSome(store, leaving)) return true;
  await mergeAll(store);
  emptyLog(guarded.database);
  return true;
}

/** Drops the words of removed pieces from the index, in steps between which other work may use the process. */
async function mergeAll({ guarded }: DocumentStore): Promise<void> {
  for (const _ of mergeWords(guarded.database)) await nextTurn();
}

const nextId = (): string => `doc-${randomBytes(ID_BYTES).toString('hex')}`;

const refused = (reason: Extract<Ingested, { outcome: 'refused' }>['reason'], detail: string): Ingested => ({
  outcome: 'refused',
  reason,
  detail,
});

const REMOVED = refused('removed', 'The documents were removed while they were read.');

/** Hits with their file, lines and source, without those of a source that is being removed. */
function cited(tables: DocumentTables, hits: readonly Hit[]): readonly DocumentHit[] {
  const places = hits.map(({ memory }) => placeIn(memory.id));
  const files = tables.files(places.flatMap((place) => place?.file ?? []));
  const sources = new Map(tables.sources().map((source) => [source.number, source]));
  return hits.flatMap(({ memory, score }, index) => {
    const place = places[index] ?? null;
    const file = files.get(place?.file ?? 0);
    const source = sources.get(file?.source ?? 0);
    if (place === null || file === undefined || source === undefined) return [];
    const { from, to } = place;
    const of = { source: source.id, name: source.name, taint: source.taint };
    return [{ ...of, path: file.path, from, to, sha256: file.sha256, text: memory.text, score }];
  });
}

/** Makes an empty file in the place of a damaged one, with its sources as far as they can be read. */
function emptied(path: string): void {
  const sources = readableSources(path);
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  const database = openStore(path);
  try {
    const tables = openDocumentTables(database);
    for (const source of sources) tables.addSource(source);
  } finally {
    database.close();
  }
}

function readableSources(path: string): readonly SourceRow[] {
  try {
    const database = new DatabaseSync(path);
    try {
      return openDocumentTables(database).storedSources();
    } finally {
      database.close();
    }
  } catch {
    return [];
  }
}
