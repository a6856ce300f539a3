/** An entry of a bundle is at most this long; its length is written in two bytes. */
export const ENTRY_BYTES_MAX = 65_535;

/** Entries behind each other, each behind its length in two bytes, the greater first (C2SP tlog-tiles). Throws RangeError of one that is too long. */
export function writeEntryBundle(entries: readonly Uint8Array[]): Uint8Array {
  const bundle = new Uint8Array(entries.reduce((sum, { length }) => sum + 2 + length, 0));
  let at = 0;
  for (const entry of entries) {
    if (entry.length > ENTRY_BYTES_MAX) throw new RangeError(`an entry of ${entry.length} bytes`);
    bundle[at] = entry.length >> 8;
    bundle[at + 1] = entry.length & 0xff;
    bundle.set(entry, at + 2);
    at += 2 + entry.length;
  }
  return bundle;
}

/** Reads what `writeEntryBundle` writes; null where the bytes end early. */
export function readEntryBundle(bundle: Uint8Array): readonly Uint8Array[] | null {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bundle.length;) {
    const length = ((bundle[at] ?? 0) << 8) | (bundle[at + 1] ?? 0);
    const end = at + 2 + length;
    if (end > bundle.length) return null;
    entries.push(bundle.subarray(at + 2, end));
    at = end;
  }
  return entries;
}
