import { TILE_WIDTH } from './edge.ts';

/** `width` is TILE_WIDTH if the tile is full. */
export interface TileAddress {
  readonly number: number;
  readonly width: number;
}

/** C2SP tlog-tiles: `x001/x234/067` for a full tile, `x001/x234/067.p/8` with 8 hashes. */
export function tilePath({ number, width }: TileAddress): string {
  const groups: string[] = [];
  for (let rest = number; groups.length === 0 || rest > 0; rest = Math.floor(rest / 1_000))
    groups.unshift(String(rest % 1_000).padStart(3, '0'));
  const path = groups.map((group, index) => (index < groups.length - 1 ? `x${group}` : group)).join('/');
  return width === TILE_WIDTH ? path : `${path}.p/${width}`;
}

/** Null for any other text, also for too many leading zeros. */
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

/** From the left; only the last may have fewer hashes. */
export function tilesOfLevel(size: number, level: number): readonly TileAddress[] {
  const hashes = Math.floor(size / TILE_WIDTH ** level);
  return Array.from({ length: Math.ceil(hashes / TILE_WIDTH) }, (_, number) => ({
    number,
    width: Math.min(TILE_WIDTH, hashes - number * TILE_WIDTH),
  }));
}

/** A bundle has two bytes for the length of an entry. */
const ENTRY_BYTES_MAX = 65_535;

/** Each entry after its length in two bytes, big-endian (C2SP tlog-tiles). Throws RangeError for a longer entry. */
export function writeEntryBundle(entries: readonly Uint8Array[]): Uint8Array {
  const bundle = new Uint8Array(entries.reduce((sum, { length }) => sum + 2 + length, 0));
  let at = 0;
  for (const entry of entries) {
    if (entry.length > ENTRY_BYTES_MAX)
      throw new RangeError(`an entry has ${entry.length} bytes; at most ${ENTRY_BYTES_MAX} are allowed`);
    bundle[at] = entry.length >> 8;
    bundle[at + 1] = entry.length & 0xff;
    bundle.set(entry, at + 2);
    at += 2 + entry.length;
  }
  return bundle;
}

/** Null if the bytes end early. */
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
