import {
  consistencyRanges,
  HASH_BYTES,
  hashAt,
  inclusionRanges,
  leafHash,
  nodesOf,
  rangeHash,
  sameBytes,
  tileOfNode,
  TILE_WIDTH,
} from '@hamlet/core';
import type { Range } from '@hamlet/core';
import { readLogTiles, sha256, type Db, type LogHead, type LogRecord } from '@hamlet/store';
import { accepted, refused, type Outcome } from '../http/outcome.ts';

interface InclusionView {
  readonly position: number;
  readonly leaf: string;
  readonly hashes: string[];
  readonly checkpoint: string;
}

async function hashRanges(db: Db, ranges: readonly Range[]): Promise<string[]> {
  const needed = ranges.flatMap((range) => nodesOf(range).map(tileOfNode));
  const tiles = await readLogTiles(db, [
    ...new Map(needed.map(({ level, number }) => [`${level}/${number}`, { level, number }])).values(),
  ]);
  const hashesOf = ({ level, number }: { readonly level: number; readonly number: number }): Uint8Array => {
    const hashes = tiles.get(`${level}/${number}`);
    if (hashes === undefined) throw new Error(`tile ${number} of level ${level} of the log is missing`);
    return hashes;
  };
  return ranges.map((range) => rangeHash(range, hashesOf, sha256).toBase64());
}

function indexIn(hashes: Uint8Array, hash: Uint8Array): number {
  for (let index = 0; index < hashes.length / HASH_BYTES; index += 1)
    if (sameBytes(hashAt(hashes, index), hash)) return index;
  return -1;
}

export async function proveInclusion(
  db: Db,
  head: LogHead,
  { tile, leaf }: Pick<LogRecord, 'tile' | 'leaf'>,
): Promise<Outcome<InclusionView>> {
  if (tile === null || head.note === null) return refused('not_sealed');
  const hashes = (await readLogTiles(db, [{ level: 0, number: tile }])).get(`0/${tile}`) ?? new Uint8Array(0);
  const index = indexIn(hashes, leafHash(leaf, sha256));
  if (index < 0) return refused('log_differs');
  const position = tile * TILE_WIDTH + index;
  if (position >= head.size) return refused('not_sealed');
  return accepted({
    position,
    leaf: leaf.toBase64(),
    hashes: await hashRanges(db, inclusionRanges(position, head.size)),
    checkpoint: head.note,
  });
}

export async function proveConsistency(
  db: Db,
  head: LogHead,
  from: number,
): Promise<Outcome<{ from: number; to: number; hashes: string[]; checkpoint: string }>> {
  if (head.note === null || from > head.size)
    return refused('not_sealed', `The log has only ${head.size} entries: ask for a smaller number`);
  const ranges = from === 0 ? [] : consistencyRanges(from, head.size);
  return accepted({ from, to: head.size, hashes: await hashRanges(db, ranges), checkpoint: head.note });
}
