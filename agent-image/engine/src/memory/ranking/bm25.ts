import type { Term } from '../store/word-index.ts';

/** Words of a memory: how often it has each word of the query, and how many words it has. */
export type WordCount = Readonly<{ counts: ReadonlyMap<string, number>; length: number }>;

/** Repetitions of a word saturate; a long text counts a little less. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.1;
const USUAL_LENGTH = 12;
/** What a word counts in the turn before or after. */
const BESIDE = 0.4;

export function countWords(words: string, asked: ReadonlyMap<string, Term>): WordCount {
  const counts = new Map<string, number>();
  const list = words.split(' ');
  for (const word of list) if (asked.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { counts, length: list.length };
}

/**
 * BM25 of a turn together with the turns beside it, as a share of what the query's words can give: 0 to 1. A window of three turns
 * finds an answer by the words of its question.
 */
export function wordScore(terms: readonly Term[], own: WordCount, beside: readonly WordCount[]): number {
  const greatest = terms.reduce((sum, { weight }) => sum + weight, 0) * (SATURATION + 1);
  if (greatest === 0) return 0;
  const length = beside.reduce((sum, each) => sum + BESIDE * each.length, own.length);
  const usual = USUAL_LENGTH * (1 + 2 * BESIDE);
  const limit = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / usual);
  let score = 0;
  for (const { word, weight } of terms) {
    const count = beside.reduce((sum, each) => sum + BESIDE * (each.counts.get(word) ?? 0), own.counts.get(word) ?? 0);
    if (count > 0) score += (weight * count * (SATURATION + 1)) / (count + limit);
  }
  return score / greatest;
}
