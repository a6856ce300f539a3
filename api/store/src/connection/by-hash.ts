/** Puts rows into the order of the hashes they were asked for by; null stands for a hash that has none. */
export function byHash<Row extends { readonly hash: Uint8Array }>(
  hashes: readonly Uint8Array[],
  rows: readonly Row[],
): readonly (Row | null)[] {
  const found = new Map(rows.map((row) => [row.hash.toHex(), row]));
  return hashes.map((hash) => found.get(hash.toHex()) ?? null);
}
