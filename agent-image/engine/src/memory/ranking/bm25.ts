import type { Term } from '../store/words/word-index.ts';

/** How often a memory has each word of the query, in the order of the query's terms, and its length in characters. */
export type WordCount = Readonly<{ counts: readonly number[]; length: number }>;

/** Repetitions of a word saturate; a long text counts a little less. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.1;
const USUAL_CHARS = 70;
/** Weight of a word in the turn before or after. */
const BESIDE = 0.4;

/** Counts the terms in the words of a memory, which are separated by single spaces. */
export function countWords(words: string, terms: readonly Term[]): WordCount {
  const text = ` ${words} `;
  return { counts: terms.map(({ word }) => countIn(text, ` ${word} `)), length: words.length };
}

function countIn(text: string, sought: string): number {
  let count = 0;
  for (let at = text.indexOf(sought); at !== -1; at = text.indexOf(sought, at + sought.length - 1)) count += 1;
  return count;
}

/**
 * BM25 of a turn together with the turns beside it, as a share of what the query's words can give: 0 to 1. A window of three turns
 * finds an answer by the words of its question.
 */
export function wordScore(terms: readonly Term[], own: WordCount, beside: readonly WordCount[]): number {
  let [greatest, score, { length }] = [0, 0, own];
  for (const each of beside) length += BESIDE * each.length;
  const usual = USUAL_CHARS * (1 + 2 * BESIDE);
  const limit = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / usual);
  for (let index = 0; index < terms.length; index += 1) {
    const weight = terms[index]?.weight ?? 0;
    let count = own.counts[index] ?? 0;
    for (const each of beside) count += BESIDE * (each.counts[index] ?? 0);
    greatest += weight;
    if (count > 0) score += (weight * count) / (count + limit);
  }
  return greatest === 0 ? 0 : score / greatest;
}
