import { bridgesOf, linkValue, type Source } from '../ranking/links.ts';
import type { Filter } from '../store/filter.ts';
import type { Parts } from '../store/parts.ts';
import type { Term } from '../store/word-index.ts';
import type { Pool } from './pool.ts';

/** First hits whose names are followed. */
const SOURCES = 1;
/** Memories that one name leads to: the best for the query, and the newest. */
const BEST_OF_NAME = 32;
const NEWEST_OF_NAME = 32;

type Following = Readonly<{ terms: readonly Term[]; filter: Filter; size: number }>;

/**
 * The second step of a question of several: "the pet of the one who rows" finds who rows, and their name finds the pet. Adds to the
 * pool what the names in the first hits lead to.
 */
export function follow({ words }: Parts, pool: Pool, { terms, filter, size }: Following): void {
  const asked = new Set(terms.map(({ word }) => word));
  for (const { seq, id, text } of pool.best(SOURCES)) {
    const inHit = words.termsOf(text.split(' '), size);
    const source = { seq, id, strength: pool.wordsOf(seq), names: bridgesOf(inHit, asked, size) };
    for (const name of source.names) followName(words, pool, { source, name, terms, filter, size });
  }
}

type Name = Following & Readonly<{ source: Source; name: Term }>;

function followName(words: Parts['words'], pool: Pool, { source, name, terms, filter, size }: Name): void {
  const reached = [
    ...words.findWith({ word: name, terms }, filter, BEST_OF_NAME),
    ...words.newest(name, filter, NEWEST_OF_NAME),
  ];
  pool.add(reached);
  for (const seq of reached)
    if (seq !== source.seq) {
      const value = linkValue({ source, name, size, complement: pool.complement(seq, source.seq) });
      pool.link(seq, { value, through: { id: source.id, words: [name.word] } });
    }
}
