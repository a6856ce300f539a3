import type { LedgerEntry } from '@hamlet/contract';
import type { Series } from './series.ts';

/** What is known of an account's entries, newest first. `whole` where nothing older is missing that the picture would need. */
export interface History {
  readonly entries: readonly LedgerEntry[];
  readonly whole: boolean;
}
export const NO_HISTORY: History = { entries: [], whole: false };

/** Pages read of one account for one picture, of a hundred entries each: beyond it the picture begins later, and says so. */
export const PAGES_MAX = 10;

/** A history with a page that was read, each entry once, newest first. Entries have numbers without gaps, so the account's first is known as such. */
export function withPage(history: History, page: readonly LedgerEntry[]): History {
  const known = new Map(history.entries.map((entry) => [entry.version, entry]));
  for (const entry of page) known.set(entry.version, entry);
  const entries = [...known.values()].toSorted((left, right) => right.version - left.version);
  return { entries, whole: history.whole || entries.at(-1)?.version === 1 };
}

/** Whether a history has no gap between its newest entry and the oldest that a picture from `fromMs` needs: the one that holds when it begins. */
export function reaches({ entries }: History, fromMs: number): boolean {
  const gap = entries.findIndex(
    (entry, index) => index > 0 && (entries[index - 1]?.version ?? 0) !== entry.version + 1,
  );
  const joined = gap === -1 ? entries : entries.slice(0, gap);
  const last = joined.at(-1);
  return last === undefined || last.version === 1 || Date.parse(last.timestamp) <= fromMs;
}

/** The balance over time. A balance that was there before the oldest known entry is not made up: the line begins where it is known. */
export function seriesOf(agent: { readonly id: string; readonly name: string }, { entries }: History): Series {
  const points = entries
    .map((entry) => ({ atMs: Date.parse(entry.timestamp), value: Number(entry.balance_after) }))
    .toReversed();
  const oldest = entries.at(-1);
  // What it was before the oldest entry follows from that entry: the line rises from there.
  const before =
    oldest === undefined
      ? []
      : [
          {
            atMs: Date.parse(oldest.timestamp),
            value: Number((Number(oldest.balance_after) - Number(oldest.amount)).toFixed(6)),
          },
        ];
  return { ...agent, points: [...before, ...points] };
}

/** What came in and went out of some accounts since an instant, as numbers of aiDollars for a picture in words. */
export function flowOf(
  histories: readonly History[],
  fromMs: number,
): { readonly gained: number; readonly spent: number } {
  const amounts = histories.flatMap(({ entries }) =>
    entries.filter(({ timestamp }) => Date.parse(timestamp) >= fromMs).map(({ amount }) => Number(amount)),
  );
  return {
    gained: amounts.reduce((sum, amount) => sum + Math.max(0, amount), 0),
    spent: amounts.reduce((sum, amount) => sum - Math.min(0, amount), 0),
  };
}

/** Agents named in an address such as `ada,bob`; at most `max`, each once. */
export function chosenOf(who: string | null, max: number): string[] {
  return [...new Set((who ?? '').split(',').filter((id) => id !== ''))].slice(0, max);
}
