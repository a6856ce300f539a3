import type { Remembered, Tombstone } from './memory.ts';
import type { Filter } from './store/filter.ts';
import { removeMemory, type Parts } from './store/parts.ts';
import { addTombstone } from './store/tombstones.ts';

/** Removes memories and all facts that were made from them. Its caller has a transaction open, and empties the log after it. */
export function forgetMemories(
  parts: Parts,
  ids: readonly string[],
  { filter, now }: Readonly<{ filter: Filter; now: number }>,
): readonly Tombstone[] {
  const visible = ids.filter((id) => {
    const row = parts.table.find(id);
    return row !== null && parts.table.visible([row.seq], filter).length > 0;
  });
  return removeAll(parts, visible, now);
}

/** The same for ids that another copy of this memory has forgotten; absent ones get a tombstone too. */
export const buryMemories = (parts: Parts, ids: readonly string[], now: number): readonly Tombstone[] =>
  removeAll(parts, ids, now);

function removeAll(parts: Parts, ids: readonly string[], now: number): readonly Tombstone[] {
  const gone = new Set<string>();
  const next = [...ids];
  for (let id = next.shift(); id !== undefined; id = next.shift()) {
    if (gone.has(id)) continue;
    gone.add(id);
    next.push(...parts.table.madeFrom(id));
    const row = parts.table.find(id);
    if (row !== null) removeMemory(parts, row.seq, row.memory);
  }
  return [...gone].map((id) => addTombstone(parts.database, id, now));
}

/** Removes a memory to keep the store within its limit. Facts made from it stay. */
export function dropRow(parts: Parts, seq: number, memory: Remembered): void {
  removeMemory(parts, seq, memory);
  parts.database.exec('update header set removed = removed + 1');
}
