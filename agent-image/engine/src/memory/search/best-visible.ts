import type { Filter } from '../store/filter.ts';
import type { MemoryTable } from '../store/memory-table.ts';
import type { Scores } from '../store/word-index.ts';

/** So many times more are looked at if too few of the best are visible. */
const GROWTH = 4;

/** The memories of the greatest scores that the filter lets through, best first; of equal ones the newest first. */
export function bestVisible(
  table: Pick<MemoryTable, 'visible'>,
  scores: Scores,
  { filter, limit }: Readonly<{ filter: Filter; limit: number }>,
): readonly number[] {
  for (let count = limit; ; count *= GROWTH) {
    const best = bestOf(scores, count);
    const visible = new Set(table.visible(best, filter));
    if (visible.size >= limit || count >= scores.size) return best.filter((seq) => visible.has(seq)).slice(0, limit);
  }
}

/** Equal scores at the end may make it more than `count`. */
function bestOf(scores: Scores, count: number): readonly number[] {
  const least = scores.size <= count ? 0 : (Float64Array.from(scores.values()).sort().at(-count) ?? 0);
  const best: (readonly [seq: number, score: number])[] = [];
  for (const entry of scores) if (entry[1] >= least) best.push(entry);
  return best.sort((one, other) => other[1] - one[1] || other[0] - one[0]).map(([seq]) => seq);
}
