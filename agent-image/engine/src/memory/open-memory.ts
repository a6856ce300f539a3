import { randomBytes } from 'node:crypto';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openDocuments } from './documents/open-documents.ts';
import { buryMemories, forgetMemories } from './forget.ts';
import { clamped, DEFAULT_CAPACITY, MAX_BATCH, MAX_LISTED, MAX_QUERY_CHARS } from './limits.ts';
import { embedSome, vectorsOf } from './embedding/embed-some.ts';
import { demoteSome, makeRoom, moveVectors } from './maintain.ts';
import type {
  Embedder,
  Hit,
  ListOptions,
  Maintained,
  Memory,
  MemoryOptions,
  MemoryStats,
  NewMemory,
  Page,
  PinResult,
  Present,
  RankingProfile,
  RememberResult,
  SearchOptions,
  Tombstone,
} from './memory.ts';
import { DEFAULT_PROFILE } from './ranking/profile.ts';
import { mayPin, store } from './remember.ts';
import { filterOf, search } from './search/search.ts';
import type { Row } from './store/memory-table.ts';
import { openChangeLog, withChangeLog } from './store/change-log.ts';
import { GuardedStore } from './store/guarded-store.ts';
import { emptyLog, openStore } from './store/open-store.ts';
import { indexedText, indexSome, openParts, type Parts } from './store/parts.ts';
import { removeAsides, salvageStore } from './store/salvage.ts';
import { countTombstones, tombstonesAfter } from './store/tombstones.ts';
import { stateIn } from './state/state-document.ts';
import { hashedEmbedder } from './embedding/hashed-embedder.ts';

const FILE = 'memory.db';
const ID_BYTES = 8;
const DEFAULT_LISTED = 100;
/** Interval between two passes over all memories, which demote some of them. */
const DEMOTION_EVERY_MS = 6 * 3_600_000;

/**
 * Opens or creates a memory. A damaged file is salvaged row by row and kept aside (`stats().salvage`). Throws `MemoryError` if
 * another process holds it, or if it belongs to another program or a newer engine.
 */
export function openMemory(options: MemoryOptions): Memory {
  const memory = new OpenMemory(options).port();
  const documents = openDocuments(options);
  return {
    ...memory,
    documents,
    maintain: async () => {
      const [done, read] = [await memory.maintain(), await documents.maintain()];
      return { ...done, embedded: done.embedded + read.embedded, more: done.more || read.more };
    },
    close: () => {
      memory.close();
      documents.close();
    },
  };
}

class OpenMemory {
  readonly #path: string;
  readonly #embedder: Embedder;
  readonly #profile: RankingProfile;
  readonly #clock: () => number;
  readonly #capacity: number;
  readonly #store: GuardedStore;
  #counts = { known: 0, refused: 0 };
  #removed = 0;
  #embeddedTo = 0;
  #demotedTo = 0;
  #demotedAt = 0;

  constructor(options: MemoryOptions) {
    const { dir, embedder, profile = DEFAULT_PROFILE, clock = Date.now, capacity = DEFAULT_CAPACITY } = options;
    mkdirSync(dir, { recursive: true });
    this.#path = join(dir, FILE);
    this.#embedder = embedder ?? hashedEmbedder();
    this.#profile = profile;
    this.#clock = clock;
    this.#capacity = capacity;
    this.#store = new GuardedStore({
      open: () => openParts(withChangeLog(openStore(this.#path)), this.#embedder),
      salvage: () => salvageStore(this.#path, this.#embedder, this.#clock()),
    });
  }

  port(): Omit<Memory, 'documents'> {
    return {
      remember: (memories) => this.#remember(memories),
      search: (query, options) => this.#search(query, options),
      use: (ids) => this.#write(({ table }) => bounded(ids).forEach((id) => table.use(id, this.#clock()))),
      forget: (ids, { audience }) => this.#forget(ids, audience),
      bury: (ids) => this.#erase((parts) => buryMemories(parts, bounded(ids), this.#clock())),
      tombstones: (after, limit) =>
        this.#guarded(({ database }) => tombstonesAfter(database, after, clamped(limit, MAX_LISTED))),
      pin: (id, { audience }) => this.#pin(id, true, audience),
      unpin: (id, { audience }) => this.#pin(id, false, audience),
      get: (id, { audience }) => this.#guarded((parts) => visibleRow(parts, id, audience)?.memory ?? null),
      list: (options) => this.#guarded((parts) => list(parts, options)),
      changes: (limit) => this.#write(({ database }) => openChangeLog(database).next(clamped(limit, MAX_LISTED))),
      settle: (to) => this.#write(({ database }) => openChangeLog(database).settle(to)),
      recheck: (ids) => this.#write(({ database }) => openChangeLog(database).add(ids)),
      stats: () => this.#guarded((parts) => this.#stats(parts)),
      state: (schema) => stateIn(this.#store, schema, this.#clock),
      maintain: () => this.#maintain(),
      close: () => this.#store.database.close(),
    };
  }

  #guarded<T>(work: (parts: Parts) => T): T {
    return this.#store.read(work);
  }

  #write<T>(work: (parts: Parts) => T): T {
    return this.#store.write(work);
  }

  async #remember(memories: readonly NewMemory[]): Promise<readonly RememberResult[]> {
    const batch = bounded(memories);
    const vectors = await vectorsOf(this.#embedder, batch.map(indexedText));
    const now = this.#clock();
    const results = this.#write((parts) => {
      const how = { now, nextId, makeRoom: () => this.#hasRoom(parts, now) };
      return batch.map((memory, index) => store(parts, { memory, vector: vectors[index] ?? null }, how));
    });
    for (const { outcome } of results) if (outcome !== 'remembered') this.#counts[outcome] += 1;
    return results;
  }

  #hasRoom(parts: Parts, now: number): boolean {
    this.#removed += makeRoom(parts, this.#capacity, now);
    return parts.table.size() < this.#capacity;
  }

  async #search(query: string, options: SearchOptions): Promise<readonly Hit[]> {
    const text = query.slice(0, MAX_QUERY_CHARS);
    const [vector = null] = await vectorsOf(this.#embedder, [text]);
    const asked = { text, vector, options, profile: this.#profile, now: this.#clock() };
    return this.#guarded((parts) => search(parts, asked));
  }

  #forget(ids: readonly string[], audience: Present): readonly Tombstone[] {
    return this.#erase((parts) =>
      forgetMemories(parts, bounded(ids), { filter: filterOf(parts.audiences, { audience }), now: this.#clock() }),
    );
  }

  /** Removed texts must not stay in the log, or in a damaged file that was kept: also if a kill comes right after the transaction. */
  #erase(work: (parts: Parts) => readonly Tombstone[]): readonly Tombstone[] {
    removeAsides(this.#path);
    const tombstones = this.#write(work);
    emptyLog(this.#store.database);
    removeAsides(this.#path);
    return tombstones;
  }

  #pin(id: string, isPinned: boolean, audience: Present): PinResult {
    return this.#write((parts) => {
      const row = visibleRow(parts, id, audience);
      if (row === null) return 'no_such_memory';
      if (isPinned && !row.memory.pinned && !mayPin(parts, row.memory.audience)) return 'too_many_pins';
      parts.table.pin(id, isPinned);
      return 'done';
    });
  }

  #stats({ database, table }: Parts): MemoryStats {
    const { all, facts, dormant, pinned } = table.counts();
    const header = database.prepare('select removed, salvage from header').get();
    const salvage = header?.['salvage'];
    return {
      evidence: all - facts,
      facts,
      active: all - dormant,
      dormant,
      pinned,
      forgotten: countTombstones(database),
      removed: Number(header?.['removed']),
      ...this.#counts,
      capacity: this.#capacity,
      bytes: sizeOf(this.#path) + sizeOf(`${this.#path}-wal`),
      embedder: this.#embedder.id,
      awaitingVectors: all - table.embedded(),
      salvage: typeof salvage === 'string' ? (JSON.parse(salvage) as MemoryStats['salvage']) : null,
    };
  }

  async #maintain(): Promise<Maintained> {
    const waited = this.#guarded(moveVectors) + this.#write(indexSome);
    const { embedded, next } = await embedSome(this.#store, this.#embedder, this.#embeddedTo);
    this.#embeddedTo = next ?? 0;
    const { demoted, isDone } = this.#demoteSome();
    const removed = this.#removed;
    this.#removed = 0;
    return { embedded, demoted, removed, more: waited > 0 || next !== null || !isDone };
  }

  #demoteSome(): Readonly<{ demoted: number; isDone: boolean }> {
    const now = this.#clock();
    if (this.#demotedTo === 0 && now - this.#demotedAt < DEMOTION_EVERY_MS) return { demoted: 0, isDone: true };
    if (this.#demotedTo === 0) this.#demotedAt = now;
    const { demoted, next } = this.#guarded((parts) => demoteSome(parts, this.#demotedTo, now));
    this.#demotedTo = next ?? 0;
    return { demoted, isDone: next === null };
  }
}

const nextId = (): string => `m-${randomBytes(ID_BYTES).toString('hex')}`;

function bounded<T>(items: readonly T[]): readonly T[] {
  if (items.length > MAX_BATCH)
    throw new RangeError(`A call has ${items.length} items; the limit is ${MAX_BATCH}. Make several calls.`);
  return items;
}

function visibleRow(parts: Parts, id: string, audience: Present): Row | null {
  const row = parts.table.find(id);
  return row !== null && parts.table.visible([row.seq], filterOf(parts.audiences, { audience })).length > 0
    ? row
    : null;
}

function list({ table, audiences }: Parts, options: ListOptions): Page {
  const { limit = DEFAULT_LISTED, after } = options;
  const count = clamped(limit, MAX_LISTED);
  const rows = table.list({ ...options, ...filterOf(audiences, options) }, positionOf(after), count);
  const last = rows.length < count ? undefined : rows.at(-1);
  return {
    memories: rows.map(({ memory }) => memory),
    next: last === undefined ? null : `${last.memory.at}.${last.seq}`,
  };
}

/** A cursor that cannot be read begins at the newest. */
function positionOf(after: string | undefined): readonly [at: number, seq: number] | null {
  const [at, seq] = (after ?? '').split('.').map(Number);
  return Number.isInteger(at) && Number.isInteger(seq) ? [at ?? 0, seq ?? 0] : null;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
