import { type EntryReason, getLedger, LEDGER_PAGE_MAX, type LedgerEntry } from '@hamlet/contract';
import type { Series } from './series.ts';
import { useRef, useState } from 'react';
import type { Api, Refused, Reply } from '../../client/api.ts';
import { useAnswer, useAsking } from '../../client/query/use-live.ts';

/** The entries of an agent that were read, newest first. `whole`: the agent's first entry is among them. */
export type History = Readonly<{ entries: readonly LedgerEntry[]; whole: boolean }>;
export const NO_HISTORY: History = { entries: [], whole: false };

/** Maximum number of pages read for one agent; with more entries the plot begins later and says so. */
const PAGES_MAX = 10;

/** Adds a page: each entry once, newest first. The ledger numbers entries from 1 without gaps, so number 1 is the first entry. */
export function withPage(history: History, page: readonly LedgerEntry[]): History {
  const known = new Map(history.entries.map((entry) => [entry.version, entry]));
  for (const entry of page) known.set(entry.version, entry);
  const entries = [...known.values()].toSorted((left, right) => right.version - left.version);
  return { entries, whole: history.whole || entries.at(-1)?.version === 1 };
}

/** True if the known entries reach back without a gap to the balance at `fromMs`, or to the first entry. */
export function reaches({ entries }: History, fromMs: number): boolean {
  const gap = entries.findIndex(
    (entry, index) => index > 0 && (entries[index - 1]?.version ?? 0) !== entry.version + 1,
  );
  const joined = gap === -1 ? entries : entries.slice(0, gap);
  const last = joined.at(-1);
  return last === undefined || last.version === 1 || Date.parse(last.timestamp) <= fromMs;
}

export function seriesOf(agent: { readonly id: string; readonly name: string }, { entries }: History): Series {
  const points = entries
    .map((entry) => ({ atMs: Date.parse(entry.timestamp), value: Number(entry.balance_after) }))
    .toReversed();
  const oldest = entries.at(-1);
  // The line starts at the balance before the oldest known entry, computed from that entry.
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

const SPENT: ReadonlySet<EntryReason> = new Set<EntryReason>(['purchase_compute', 'usage']);

/** Sums of entries, each at least 0. `spent`: for purchases and usage. `taken`: by penalties and corrections. */
type Flow = Readonly<{ gained: number; spent: number; taken: number }>;

/** The aiDollars that these agents received, spent and lost since an instant, as numbers for display. */
export function flowOf(histories: readonly History[], fromMs: number): Flow {
  let [gained, spent, taken] = [0, 0, 0];
  for (const { timestamp, amount, reason } of histories.flatMap(({ entries }) => entries)) {
    if (Date.parse(timestamp) < fromMs) continue;
    const change = Number(amount);
    if (change > 0) gained += change;
    else if (SPENT.has(reason)) spent -= change;
    else taken -= change;
  }
  return { gained, spent, taken };
}

/** The agents in an address such as `ada,bob`, without duplicates, at most `max`. */
export function chosenOf(who: string | null, max: number): string[] {
  return [...new Set((who ?? '').split(',').filter((id) => id !== ''))].slice(0, max);
}

const REFRESH_MS = 8000;

interface HistoriesLive {
  readonly histories: ReadonlyMap<string, History>;
  readonly refused: Refused | null;
  readonly reading: boolean;
}

/** Reads the entries of accounts back to `fromMs`. A refresh reads the newest page, and older ones only for entries that it does not know. */
export function useHistories(ids: readonly string[], fromMs: number): HistoriesLive {
  const { api } = useAsking();
  const known = useRef(new Map<string, History>());
  const [histories, setHistories] = useState<ReadonlyMap<string, History>>(new Map());
  const wanted = ids.join(',');
  const read = async (): Promise<Reply<true>> => {
    for (const id of wanted.split(',').filter((name) => name !== '')) {
      const reply = await readBack(api, { id, fromMs, known: known.current.get(id) ?? NO_HISTORY });
      if (!reply.ok) return reply;
      known.current.set(id, reply.data);
    }
    setHistories(new Map(known.current));
    return { ok: true, data: true };
  };
  const live = useAnswer({ key: ['histories', wanted, fromMs], read, everyMs: REFRESH_MS });
  return { histories, refused: live.refused, reading: live.refused === null && ids.some((id) => !histories.has(id)) };
}

async function readBack(
  api: Api,
  { id, fromMs, known }: { readonly id: string; readonly fromMs: number; readonly known: History },
): Promise<Reply<History>> {
  let history = known;
  let cursor: string | null = null;
  for (let page = 0; page < PAGES_MAX; page++) {
    const reply: Reply<{ readonly entries: History['entries']; readonly next_cursor: string | null }> = await api.call(
      getLedger,
      { params: { agent_id: id }, query: { limit: LEDGER_PAGE_MAX, ...(cursor === null ? {} : { cursor }) } },
    );
    if (!reply.ok) return reply;
    history = withPage(history, reply.data.entries);
    cursor = reply.data.next_cursor;
    if (cursor === null || reaches(history, fromMs)) break;
  }
  return { ok: true, data: history };
}
