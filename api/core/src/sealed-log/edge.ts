import { emptyRoot, HASH_BYTES, nodeHash, type Sha256 } from './hashing.ts';

/** Hashes in a full tile (C2SP tlog-tiles: trees of height 8). */
export const TILE_WIDTH = 256;

/** Level 0 has hashes of entries; a higher level has the roots of the full tiles one level below. */
export interface Tile {
  readonly level: number;
  readonly number: number;
  readonly hashes: Uint8Array;
}

/** The right edge: the tile on each level that is not full. It is enough to grow the tree and compute its root. */
export interface Edge {
  readonly size: number;
  readonly partials: readonly Uint8Array[];
}

export const EMPTY_EDGE: Edge = { size: 0, partials: [] };

/** The number of hashes is a power of two. */
function foldSubtree(hashes: Uint8Array, sha256: Sha256): Uint8Array {
  const nodes = new Uint8Array(hashes);
  const pair = new Uint8Array(1 + 2 * HASH_BYTES);
  pair[0] = 1;
  for (let count = nodes.length / HASH_BYTES; count > 1; count /= 2) {
    for (let index = 0; index < count; index += 2) {
      pair.set(nodes.subarray(index * HASH_BYTES, (index + 2) * HASH_BYTES), 1);
      nodes.set(sha256(pair), (index / 2) * HASH_BYTES);
    }
  }
  return nodes.slice(0, HASH_BYTES);
}

/** The root over `count` hashes from number `from`. `count` is a power of two and divides `from`. */
export function subtreeHash(
  hashes: Uint8Array,
  { from, count }: { readonly from: number; readonly count: number },
  sha256: Sha256,
): Uint8Array {
  return foldSubtree(hashes.subarray(from * HASH_BYTES, (from + count) * HASH_BYTES), sha256);
}

/** The roots of the full subtrees of a tile, largest first. */
function peaksOf(hashes: Uint8Array, sha256: Sha256): Uint8Array[] {
  const width = hashes.length / HASH_BYTES;
  const peaks: Uint8Array[] = [];
  for (let from = 0, count = TILE_WIDTH / 2; count >= 1; count /= 2) {
    if ((width & count) === 0) continue;
    peaks.push(subtreeHash(hashes, { from, count }, sha256));
    from += count;
  }
  return peaks;
}

export function rootOf({ partials }: Edge, sha256: Sha256): Uint8Array {
  const peaks = partials.toReversed().flatMap((hashes) => peaksOf(hashes, sha256));
  const last = peaks.pop();
  if (last === undefined) return emptyRoot(sha256);
  return peaks.reduceRight((right, left) => nodeHash(left, right, sha256), last);
}

interface Growth {
  readonly tiles: Tile[];
  readonly partials: Uint8Array[];
}

/** The roots of full tiles become hashes of the next level. */
function growLevel(
  growth: Growth,
  at: { readonly level: number; readonly first: number; readonly hashes: Uint8Array },
  sha256: Sha256,
): void {
  const { level, hashes } = at;
  const before = growth.partials[level] ?? new Uint8Array(0);
  const all = new Uint8Array(before.length + hashes.length);
  all.set(before);
  all.set(hashes, before.length);
  const tileBytes = TILE_WIDTH * HASH_BYTES;
  const full = Math.floor(all.length / tileBytes);
  const roots = new Uint8Array(full * HASH_BYTES);
  for (let index = 0; index < full; index += 1) {
    const tile = all.subarray(index * tileBytes, (index + 1) * tileBytes);
    growth.tiles.push({ level, number: at.first + index, hashes: tile });
    roots.set(foldSubtree(tile, sha256), index * HASH_BYTES);
  }
  growth.partials[level] = all.slice(full * tileBytes);
  if (full > 0)
    growLevel(growth, { level: level + 1, first: Math.floor(at.first / TILE_WIDTH), hashes: roots }, sha256);
}

/** `leaves` are concatenated hashes of the new entries; {@link partialTiles} returns the tiles that are not full. */
export function growEdge(
  edge: Edge,
  leaves: Uint8Array,
  sha256: Sha256,
): { readonly edge: Edge; readonly full: readonly Tile[] } {
  const growth: Growth = { tiles: [], partials: [...edge.partials] };
  growLevel(growth, { level: 0, first: Math.floor(edge.size / TILE_WIDTH), hashes: leaves }, sha256);
  return { edge: { size: edge.size + leaves.length / HASH_BYTES, partials: growth.partials }, full: growth.tiles };
}

export function partialTiles({ size, partials }: Edge): readonly Tile[] {
  return partials.flatMap((hashes, level) =>
    hashes.length === 0 ? [] : [{ level, number: Math.floor(size / TILE_WIDTH ** (level + 1)), hashes }],
  );
}

/** The tiles of the edge, from level 0 to the highest; `width` is the number of hashes in a tile. */
export function edgeTiles(
  size: number,
): readonly { readonly level: number; readonly number: number; readonly width: number }[] {
  const tiles = [];
  for (let level = 0, count = size; count > 0; level += 1, count = Math.floor(count / TILE_WIDTH)) {
    tiles.push({ level, number: Math.floor(count / TILE_WIDTH), width: count % TILE_WIDTH });
  }
  return tiles;
}

/** The edge when the log had `size` entries. The stored tiles may have grown since. */
export function edgeOf(
  size: number,
  hashesOf: (tile: { readonly level: number; readonly number: number }) => Uint8Array,
): Edge {
  const partials = edgeTiles(size).map(({ level, number, width }) =>
    width === 0 ? new Uint8Array(0) : hashesOf({ level, number }).slice(0, width * HASH_BYTES),
  );
  return { size, partials };
}
