import type { WorldEvent } from '@hamlet/contract';
import { decodeEvents } from '@hamlet/core';
import { readTail, type Db } from '@hamlet/store';

/** Limits that bound the memory of a replay. The last chunk of a read may exceed them. */
const PAGE_EVENTS = 10_000;

/** The events of one read of the world's log, in order, from the one after `seq` up to the first gap. */
function follow(
  tail: { readonly events: readonly WorldEvent[]; readonly chunks: readonly Uint8Array[] },
  seq: number,
): readonly WorldEvent[] {
  const all = [...tail.events, ...tail.chunks.flatMap((chunk) => decodeEvents(chunk))]
    .filter((event) => event.seq > seq)
    .toSorted((a, b) => a.seq - b.seq);
  const gap = all.findIndex((event, index) => event.seq !== seq + 1 + index);
  return gap < 0 ? all : all.slice(0, gap);
}

/** Reads every durable event after `seq`, in order, page by page. The next page is read after `take` has finished with the previous one. */
export async function readEventsAfter(
  db: Db,
  seq: number,
  take: (events: readonly WorldEvent[]) => Promise<void> | void,
): Promise<void> {
  for (let last = seq; ;) {
    const events = follow(await readTail(db, last, PAGE_EVENTS), last);
    const newest = events.at(-1);
    if (newest === undefined) return;
    await take(events);
    last = newest.seq;
  }
}
