import { bridgesOf, linkValue, type Source } from '../ranking/links.ts';
import type { Filter } from '../store/filter.ts';
import type { Parts } from '../store/parts.ts';
import type { Scores, Term } from '../store/words/word-index.ts';
import { bestVisible, firstVisible } from './best-visible.ts';
import type { Pool } from './pool.ts';

/** Number of first hits whose names are followed. */
const SOURCES = 1;
/** Number of memories that one name leads to: the best for the query, and the newest. */
const BEST_OF_NAME = 16;
const NEWEST_OF_NAME = 16;

type Following = Readonly<{ terms: readonly Term[]; scores: Scores; filter: Filter; size: number }>;
type Led = Readonly<{ source: Source; name: Term; reached: readonly number[] }>;

/**
 * The second step of a question of several: "the pet of the one who rows" finds who rows, and their name finds the pet. Adds to the
 * pool what the names in the first hits lead to.
 */
export function follow(parts: Parts, pool: Pool, { terms, scores, filter, size }: Following): void {
  const { words } = parts;
  const asked = new Set(terms.map(({ word }) => word));
  const led = pool.best(SOURCES).flatMap(({ seq, id, text }): readonly Led[] => {
    const names = bridgesOf(words.termsOf(text.split(' '), size), asked, size);
    const source = { seq, id, strength: pool.wordsOf(seq) };
    return names.map((name) => ({ source, name, reached: reachedBy(parts, words.having(name), { scores, filter }) }));
  });
  pool.add(led.flatMap(({ reached }) => reached));
  for (const { source, name, reached } of led)
    for (const seq of reached) {
      if (seq === source.seq) continue;
      const value = linkValue({ source, name, size, complement: pool.complement(seq, source.seq) });
      pool.link(seq, { value, through: { id: source.id, words: [name.word] } });
    }
}

function reachedBy(
  { table }: Parts,
  named: readonly number[],
  { scores, filter }: Pick<Following, 'scores' | 'filter'>,
): readonly number[] {
  const found = new Map<number, number>();
  for (const seq of named) {
    const score = scores.get(seq);
    if (score !== undefined) found.set(seq, score);
  }
  return [
    ...bestVisible(table, found, { filter, limit: BEST_OF_NAME }),
    ...firstVisible(table, (count) => named.slice(-count).toReversed(), { filter, limit: NEWEST_OF_NAME }),
  ];
}
