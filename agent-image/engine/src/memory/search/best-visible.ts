import type { Filter } from '../store/filter.ts';
import type { MemoryTable } from '../store/memory-table.ts';
import type { Scores } from '../store/words/word-index.ts';

/** Factor by which each read grows while too few of its memories pass the filter. */
const GROWTH = 8;

type Wanted = Readonly<{ filter: Filter; limit: number }>;
type Table = Pick<MemoryTable, 'visible'>;

/** The first `limit` memories that pass the filter, in the order of `read`, which returns the first `count` or all. */
export function firstVisible(
  table: Table,
  read: (count: number) => readonly number[],
  { filter, limit }: Wanted,
): readonly number[] {
  for (let count = limit; ; count *= GROWTH) {
    const first = read(count);
    const visible = new Set(table.visible(first, filter));
    if (visible.size >= limit || first.length < count) return first.filter((seq) => visible.has(seq)).slice(0, limit);
  }
}

/** The memories with the greatest scores that pass the filter, best first; among equal scores the newest first. */
export const bestVisible = (table: Table, scores: Scores, wanted: Wanted): readonly number[] =>
  firstVisible(table, (count) => bestOf(scores, count), wanted);

function bestOf(scores: Scores, count: number): readonly number[] {
  const least = scores.size <= count ? 0 : (Float64Array.from(scores.values()).sort().at(-count) ?? 0);
  const best: (readonly [seq: number, score: number])[] = [];
  for (const entry of scores) if (entry[1] >= least) best.push(entry);
  best.sort((one, other) => other[1] - one[1] || other[0] - one[0]);
  return best.slice(0, count).map(([seq]) => seq);
}
