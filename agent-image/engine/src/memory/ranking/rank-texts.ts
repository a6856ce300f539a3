import { weightOf } from '../store/words/word-index.ts';
import { wordsOf } from '../text/words.ts';
import { countWords, wordScore } from './bm25.ts';

/** The rarest words of a query that count. */
const MAX_TERMS = 32;

/**
 * The places of the texts that share words with a query, best first; of equal ones the earlier first. The words are
 * those of the memory's index. For a few hundred texts, because it reads all of them. Pure.
 */
export function rankTexts(texts: readonly string[], query: string): readonly number[] {
  const words = texts.map(wordsOf);
  const rows = new Map<string, number>();
  for (const word of words.flatMap((each) => [...new Set(each)])) rows.set(word, (rows.get(word) ?? 0) + 1);
  const terms = [...new Set(wordsOf(query))]
    .flatMap((word) => {
      const count = rows.get(word);
      return count === undefined ? [] : [{ word, rows: count, weight: weightOf(count, texts.length), isName: false }];
    })
    .toSorted((one, other) => one.rows - other.rows)
    .slice(0, MAX_TERMS);
  return words
    .map((each, place) => ({ place, score: wordScore(terms, countWords(each.join(' '), terms), []) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({ place }) => place);
}
