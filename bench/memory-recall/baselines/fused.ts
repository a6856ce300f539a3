import type { Rank } from './rank.ts';

const RANK_CONSTANT = 60;
const DEPTH = 100;

/** Naive reciprocal-rank fusion: each list adds 1 / (60 + rank), without weights. */
export function fused(...lists: readonly Rank[]): Rank {
  return async (question, k) => {
    const scores = new Map<string, number>();
    for (const list of lists)
      for (const [rank, id] of (await list(question, DEPTH)).entries())
        scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_CONSTANT + rank + 1));
    return [...scores]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, k)
      .map(([id]) => id);
  };
}
