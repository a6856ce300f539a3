import type { DialogueTurn } from '@hamlet/engine/recall';
import { best, spoken, type Rank } from './rank.ts';

const K1 = 1.2;
const B = 0.75;

/** Lower-case words without their most common endings. */
export function wordsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => (word.length > 4 ? word.replace(/(?:ing|ed|es|s|ly)$/, '') : word));
}

/** Plain BM25 over single turns with their speakers. */
export function bm25(turns: readonly DialogueTurn[]): Rank {
  const postings = new Map<string, Map<number, number>>();
  const lengths = turns.map((turn, at) => {
    const words = wordsOf(spoken(turn));
    for (const word of words) {
      const of = postings.get(word) ?? new Map<number, number>();
      postings.set(word, of.set(at, (of.get(at) ?? 0) + 1));
    }
    return words.length;
  });
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  const ids = turns.map(({ id }) => id);
  return (question, k) => {
    const scores = new Float64Array(turns.length);
    for (const word of new Set(wordsOf(question))) {
      const of = postings.get(word);
      if (of === undefined) continue;
      const rarity = Math.log(1 + (turns.length - of.size + 0.5) / (of.size + 0.5));
      for (const [at, count] of of) {
        const length = K1 * (1 - B + (B * (lengths[at] ?? 0)) / average);
        scores[at] = (scores[at] ?? 0) + (rarity * count * (K1 + 1)) / (count + length);
      }
    }
    return best(ids, scores, k);
  };
}
