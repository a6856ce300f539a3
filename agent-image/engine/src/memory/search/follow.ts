import { bridgesOf, linkValue, type Source } from '../ranking/links.ts';
import type { Filter } from '../store/filter.ts';
import type { Parts } from '../store/parts.ts';
import type { Scores, Term } from '../store/word-index.ts';
import { bestVisible, firstVisible } from './best-visible.ts';
import type { Pool } from './pool.ts';

/** First hits whose names are followed. */
const SOURCES = 1;
/** Memories that one name leads to: the best for the query, and the newest. */
const BEST_OF_NAME = 16;
const NEWEST_OF_NAME = 16;

type Following = Readonly<{ terms: readonly Term[]; scores: Scores; filter: Filter; size: number }>;

/**
 * The second step of a question of several: "the pet of the one who rows" finds who rows, and their name finds the pet. Adds to the
 * pool what the names in the first hits lead to.
 */
export function follow(parts: Parts, pool: Pool, { terms, scores, filter, size }: Following): void {
  const { words } = parts;
  const asked = new Set(terms.map(({ word }) => word));
  for (const { seq, id, text } of pool.best(SOURCES)) {
    const inHit = words.termsOf(text.split(' '), size);
    const source = { seq, id, strength: pool.wordsOf(seq), names: bridgesOf(inHit, asked, size) };
    for (const name of source.names) followName(parts, pool, { source, name, terms, scores, filter, size });
  }
}

type Name = Following & Readonly<{ source: Source; name: Term }>;

function followName({ table, words }: Parts, pool: Pool, { source, name, terms, scores, filter, size }: Name): void {
  const named = words.findWith({ word: name, terms }, scores);
  const reached = [
    ...bestVisible(table, named, { filter, limit: BEST_OF_NAME }),
    ...firstVisible(table, (count) => words.newest(name, count), { filter, limit: NEWEST_OF_NAME }),
  ];
  pool.add(reached);
  for (const seq of reached)
    if (seq !== source.seq) {
      const value = linkValue({ source, name, size, complement: pool.complement(seq, source.seq) });
      pool.link(seq, { value, through: { id: source.id, words: [name.word] } });
    }
}
