import type { DatabaseSync } from 'node:sqlite';
import type { NewMemory, Remembered } from '../memory.ts';
import { WORDS_VERSION, wordsOf } from '../text/words.ts';
import { openStateTable, type StateTable } from './state-table.ts';
import { openAudiences, type Audiences } from './audiences.ts';
import { openMemoryTable, type MemoryTable, type NewRow } from './memory-table.ts';
import { inTransaction } from './open-store.ts';
import { openEarlierVectors, type EarlierVectors } from './earlier-vectors.ts';
import { dropVectors, openVectorIndex, type VectorIndex } from './vector-index.ts';
import { openWaitingWords, type WaitingWords } from './words/waiting-words.ts';
import { openWordIndex, type WordIndex } from './words/word-index.ts';

/** The open tables of one store. */
export type Parts = Readonly<{
  database: DatabaseSync;
  table: MemoryTable;
  audiences: Audiences;
  words: WordIndex;
  vectors: VectorIndex;
  earlierVectors: EarlierVectors;
  waitingWords: WaitingWords;
  state: StateTable;
}>;

/** Which embedder made the vectors. */
export type EmbedderName = Readonly<{ id: string; dimensions: number }>;

const INDEXED_A_STEP = 250;

/**
 * Prepares the tables of a store for this embedder: another one's vectors are removed. If the version of the words has changed, the
 * newest memories are indexed again, and `indexSome` indexes the others.
 */
export function openParts(database: DatabaseSync, embedder: EmbedderName): Parts {
  const header = database.prepare('select embedder, dimensions, words_version from header').get();
  if (header?.['embedder'] !== embedder.id || header['dimensions'] !== embedder.dimensions)
    inTransaction(database, () => {
      dropVectors(database);
      database.prepare('update header set embedder = ?, dimensions = ?').run(embedder.id, embedder.dimensions);
    });
  const vectors = openVectorIndex(database, embedder.dimensions);
  const table = openMemoryTable(database);
  const parts = {
    database,
    table,
    vectors,
    words: openWordIndex(database),
    waitingWords: openWaitingWords(database),
    audiences: openAudiences(database),
    earlierVectors: openEarlierVectors(database),
    state: openStateTable(database),
  };
  if (header?.['words_version'] !== WORDS_VERSION) inTransaction(database, () => indexSome(parts));
  return parts;
}

/** The text under which a memory is found: with the speaker, or what it is about. The first word of a text begins a sentence. */
export const indexedText = (memory: Remembered | NewMemory): string =>
  `${memory.kind === 'evidence' ? memory.speaker : memory.subject}. ${memory.text}`;

/** Adds a row with its indexes. Returns its number. */
export function insertMemory(
  parts: Parts,
  memory: Remembered & Readonly<{ fingerprint: Uint8Array }>,
  vector: Uint8Array | null,
): number {
  const row: NewRow = { ...memory, words: wordsOf(indexedText(memory)).join(' ') };
  const audience = parts.audiences.numberOf(row.audience);
  const seq = parts.table.insert(row, audience);
  parts.words.add(seq, indexedText(row));
  if (vector !== null) parts.vectors.add(seq, audience, vector);
  return seq;
}

/** Removes a row with its indexes. */
export function removeMemory(parts: Parts, seq: number, memory: Remembered): void {
  const { table, words, vectors, audiences, earlierVectors, waitingWords } = parts;
  if (seq > waitingWords.upTo()) words.remove(seq, indexedText(memory));
  vectors.remove(seq, audiences.numberOf(memory.audience));
  earlierVectors.remove(seq);
  table.remove(seq, memory.id);
  if (memory.kind === 'fact') table.loseSuccessor(memory.id);
}

/**
 * Indexes the newest memories whose words wait since a change of version. Returns how many; 0 once none waits. Its caller has a
 * transaction open.
 */
export function indexSome({ database, table, words, waitingWords }: Parts): number {
  const upTo = waitingWords.upTo();
  if (upTo === 0) return 0;
  const stored = database.prepare('update memory set words = ? where seq = ?');
  const rows = table.upTo(upTo, INDEXED_A_STEP);
  for (const { seq, memory } of rows.toReversed()) {
    stored.run(wordsOf(indexedText(memory)).join(' '), seq);
    words.add(seq, indexedText(memory));
  }
  waitingWords.setUpTo(rows.length < INDEXED_A_STEP ? 0 : (rows.at(-1)?.seq ?? 1) - 1);
  return rows.length;
}
