/** Drops the oldest entry of a Map or Set that holds more than `max`. Returns whether it did. */
export function dropOldest<K>(entries: Map<K, unknown> | Set<K>, max: number): boolean {
  const [oldest] = entries.size > max ? entries.keys() : [];
  return oldest !== undefined && entries.delete(oldest);
}
