/** Drops the oldest entry of a Map or Set with more than `max` entries. Returns true if it did. */
export function dropOldest<K>(entries: Map<K, unknown> | Set<K>, max: number): boolean {
  const [oldest] = entries.size > max ? entries.keys() : [];
  return oldest !== undefined && entries.delete(oldest);
}
