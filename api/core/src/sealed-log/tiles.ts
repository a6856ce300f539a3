import { TILE_WIDTH } from './edge.ts';

/** A tile by its number, and how many hashes or entries of it are meant: TILE_WIDTH of a full one. */
export interface TileAddress {
  readonly number: number;
  readonly width: number;
}

/** The number of a tile as C2SP tlog-tiles writes it: `x001/x234/067`, and `x001/x234/067.p/8` of one that is not full. */
export function tilePath({ number, width }: TileAddress): string {
  const groups: string[] = [];
  for (let rest = number; groups.length === 0 || rest > 0; rest = Math.floor(rest / 1_000))
    groups.unshift(String(rest % 1_000).padStart(3, '0'));
  const path = groups.map((group, index) => (index < groups.length - 1 ? `x${group}` : group)).join('/');
  return width === TILE_WIDTH ? path : `${path}.p/${width}`;
}

/** Reads what `tilePath` writes; null of anything else, also of a number with too many zeros in front. */
export function readTilePath(path: string): TileAddress | null {
  const [, digits, width] = /^((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/.exec(path) ?? [];
  if (digits === undefined) return null;
  const address = {
    number: Number(digits.replaceAll(/[x/]/g, '')),
    width: width === undefined ? TILE_WIDTH : Number(width),
  };
  return Number.isSafeInteger(address.number) && address.width <= TILE_WIDTH && tilePath(address) === path
    ? address
    : null;
}

/** The tiles of one level of a tree, from the left: all full, but for the last. */
export function tilesOfLevel(size: number, level: number): readonly TileAddress[] {
  const hashes = Math.floor(size / TILE_WIDTH ** level);
  return Array.from({ length: Math.ceil(hashes / TILE_WIDTH) }, (_, number) => ({
    number,
    width: Math.min(TILE_WIDTH, hashes - number * TILE_WIDTH),
  }));
}

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

/** Reads what `writeEntryBundle` writes; null if the bytes end early. */
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
