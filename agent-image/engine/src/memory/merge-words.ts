import type { DatabaseSync } from 'node:sqlite';

const PAGES_A_STEP = 64;
/** A row without a memory. Its segment gives FTS5 something to merge. */
const NO_ROW = -1;
const ITS_WORD = 'x';

/**
 * Writes the full-text index again, step by step; the caller yields between two steps. FTS5 erases a deleted row, and
 * leaves a word behind whose list of rows had several pages: a merge drops it.
 */
export function* mergeWords(database: DatabaseSync): Generator<void> {
  const changes = database.prepare('select total_changes() as rows');
  const merge = database.prepare("insert into word (word, rank) values ('merge', ?)");
  /** True if more is left to merge. */
  const merged = (pages: number): boolean => {
    const before = Number(changes.get()?.['rows']);
    merge.run(pages);
    return Number(changes.get()?.['rows']) - before >= 2;
  };
  database.prepare('insert into word (rowid, words) values (?, ?)').run(NO_ROW, ITS_WORD);
  // A negative number merges all segments, not only those of one size.
  for (let isMore = merged(-PAGES_A_STEP); isMore; isMore = merged(PAGES_A_STEP)) yield;
  database.prepare("insert into word (word, rowid, words) values ('delete', ?, ?)").run(NO_ROW, ITS_WORD);
}
