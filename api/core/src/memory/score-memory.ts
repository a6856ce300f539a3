import type { MemoryCertainty, MemoryExplanation } from '@hamlet/contract';

interface ScoredFacts {
  readonly since: Date;
  readonly importance: number;
  readonly uses: number;
  readonly pinned: boolean;
  readonly until: Date | null;
}

const WEIGHTS = { words: 0.6, recency: 0.15, importance: 0.1, use: 0.05, pinned: 0.1 } as const;
const HALF_LIFE_MS = 30 * 86_400_000;
/** Uses after which half of the weight of use counts. */
const HALF_USES = 5;
/** Share of the score that a replaced memory keeps, so that its successor is better. */
const REPLACED_SHARE = 0.5;

/**
 * The shares of a found memory's score. Pure.
 * @param rank the rank of its matched words, and `best` the greatest rank of the search
 */
export function explainMemory(
  { since, importance, uses, pinned, until }: ScoredFacts,
  { rank, best, now }: { readonly rank: number; readonly best: number; readonly now: Date },
): MemoryExplanation {
  const share = until === null ? 1 : REPLACED_SHARE;
  const age = Math.max(0, now.getTime() - since.getTime());
  return {
    words: share * WEIGHTS.words * (best <= 0 ? 0 : rank / best),
    recency: share * WEIGHTS.recency * 0.5 ** (age / HALF_LIFE_MS),
    importance: share * WEIGHTS.importance * importance,
    use: share * WEIGHTS.use * (uses / (uses + HALF_USES)),
    pinned: pinned ? share * WEIGHTS.pinned : 0,
  };
}

/** The sum of the shares. Pure. */
export const scoreOf = (explanation: MemoryExplanation): number =>
  Object.values(explanation).reduce((sum, part) => sum + part, 0);

interface CertainFacts {
  readonly kind: 'fact' | 'evidence' | 'diary';
  readonly outside: boolean;
  readonly corrected: boolean;
}

/** How sure a memory is, by its origin: a pin says only that it matters. Pure. */
export function certaintyOf({ kind, outside, corrected }: CertainFacts): MemoryCertainty {
  if (corrected) return 'confirmed';
  if (outside) return 'outside';
  return kind === 'evidence' ? 'said' : 'noted';
}
