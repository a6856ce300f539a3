import type { DialogueTurn } from '@hamlet/engine/recall';

/** Ids of the best turns for a question, best first. */
export type Rank = (question: string, k: number) => readonly string[] | Promise<readonly string[]>;

/** The text of a turn as each baseline reads it. */
export const spoken = ({ speaker, text }: DialogueTurn): string => `${speaker}: ${text}`;

/** The `k` ids with the highest scores above zero; equal scores in the order of the turns. */
export function best(ids: readonly string[], scores: ArrayLike<number>, k: number): readonly string[] {
  const at = ids.keys().filter((index) => (scores[index] ?? 0) > 0);
  return [...at]
    .toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b)
    .slice(0, k)
    .map((index) => ids[index] ?? '');
}
