import type { DatabaseSync } from 'node:sqlite';
import type { NewMemory, Remembered } from '../memory.ts';
import { WORDS_VERSION, wordsOf } from '../text/words.ts';
import { openStateTable, type StateTable } from './state-table.ts';
import { openAudiences, type Audiences } from './audiences.ts';
import { openMemoryTable, type MemoryTable, type NewRow } from './memory-table.ts';
import { inTransaction } from './open-store.ts';
import { openEarlierVectors, type EarlierVectors } from './earlier-vectors.ts';
import { dropVectors, openVectorIndex, type VectorIndex } from './vector-index.ts';
import { openWordIndex, type WordIndex } from './word-index.ts';

/** The open tables of one store. */
export type Parts = Readonly<{
  database: DatabaseSync;
  table: MemoryTable;
  audiences: Audiences;
  words: WordIndex;
  vectors: VectorIndex;
  earlierVectors: EarlierVectors;
  state: StateTable;
}>;

/** Which embedder made the vectors. */
export type EmbedderName = Readonly<{ id: string; dimensions: number }>;

const PAGE = 500;

/** Prepares the tables of a store for this embedder: another one's vectors are removed, and words of another version made again. */
export function openParts(database: DatabaseSync, embedder: EmbedderName): Parts {
  const header = database.prepare('select embedder, dimensions, words_version from header').get();
  if (header?.['embedder'] !== embedder.id || header['dimensions'] !== embedder.dimensions)
    inTransaction(database, () => {
      dropVectors(database);
      database.prepare('update header set embedder = ?, dimensions = ?').run(embedder.id, embedder.dimensions);
    });
  const vectors = openVectorIndex(database, embedder.dimensions);
  const table = openMemoryTable(database);
  const words = openWordIndex(database);
  if (header?.['words_version'] !== WORDS_VERSION)
    inTransaction(database, () => indexWords({ database, table, words }));
  const audiences = openAudiences(database);
  const earlierVectors = openEarlierVectors(database);
  return { database, table, audiences, words, vectors, earlierVectors, state: openStateTable(database) };
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
  const { table, words, vectors, audiences, earlierVectors } = parts;
  words.remove(seq, indexedText(memory));
  vectors.remove(seq, audiences.numberOf(memory.audience));
  earlierVectors.remove(seq);
  table.remove(seq, memory.id);
  if (memory.kind === 'fact') table.loseSuccessor(memory.id);
}

function indexWords({ database, table, words }: Pick<Parts, 'database' | 'table' | 'words'>): void {
  database.exec("insert into word (word) values ('delete-all'); delete from term;");
  const stored = database.prepare('update memory set words = ? where seq = ?');
  let seq = 0;
  for (let rows = table.after(seq, PAGE); rows.length > 0; rows = table.after(seq, PAGE))
    for (const row of rows) {
      stored.run(wordsOf(indexedText(row.memory)).join(' '), row.seq);
      words.add(row.seq, indexedText(row.memory));
      ({ seq } = row);
    }
  database.prepare('update header set words_version = ?').run(WORDS_VERSION);
}
