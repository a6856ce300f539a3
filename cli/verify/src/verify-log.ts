import {
  EMPTY_EDGE,
  growEdge,
  HASH_BYTES,
  hashAt,
  leafHash,
  readEntryBundle,
  rootOf,
  sameBytes,
  tilesOfLevel,
} from '@hamlet/core';
import type { Checkpoint, Edge, TileAddress } from '@hamlet/core';
import { Books } from './books.ts';
import { describeEntry } from './describe-entry.ts';
import type { LogSource } from './log-source.ts';
import { PLATFORM } from './platform.ts';

const { sha256 } = PLATFORM;
/** Tiles that are fetched ahead. */
const AHEAD = 8;

/** What the log is held to. */
export interface Reference {
  /** Checkpoints by size, each of another size, all with a good signature. */
  readonly checkpoints: readonly Checkpoint[];
  /** Hashes of entries that lead to the last checkpoint they reach; empty where none are known. */
  readonly hashes: Uint8Array;
  /** The size of the source's own checkpoint where another one of that size was kept: it was signed anew. */
  readonly contradicted: number | null;
}

/** What came out. */
export type Verdict =
  | { readonly ok: true; readonly entries: number; readonly transfers: number; readonly waiting: number }
  | { readonly ok: false; readonly position: number; readonly until: number; readonly what: string };

interface Run {
  readonly reference: Reference;
  readonly books: Books;
  edge: Edge;
  /** The size of the last checkpoint that was right. */
  good: number;
}

function difference(position: number, what: string): Verdict {
  return { ok: false, position, until: position + 1, what };
}

/** How an entry differs from what was sealed: seen by where its neighbours went. An entry holds its own place, so that one which was moved is another one. */
function nameDifference(
  at: { readonly index: number; readonly position: number },
  leaves: readonly Uint8Array[],
  sealed: Uint8Array,
): string {
  const { index, position } = at;
  const [now, next] = leaves.slice(index, index + 2);
  const isSealedAt = (leaf: Uint8Array | undefined, place: number): boolean =>
    leaf !== undefined && sameBytes(leafHash(leaf, sha256), hashAt(sealed, place));
  const words = describeEntry(now ?? new Uint8Array(0));
  if (isSealedAt(now, position + 1)) return `an entry is missing; in its place is the next one, ${words}`;
  if (isSealedAt(next, position)) return `an entry was put in: ${words}`;
  return `the entry is not what was sealed: ${words}`;
}

/** Holds each entry to its hash, and takes it into the books. Null where all is well. */
function takeEntries(
  { books, reference, edge }: Run,
  leaves: readonly Uint8Array[],
  hashes: Uint8Array,
): Verdict | null {
  for (const [index, leaf] of leaves.entries()) {
    const hash = leafHash(leaf, sha256);
    hashes.set(hash, index * HASH_BYTES);
    const position = edge.size + index;
    if (
      (position + 1) * HASH_BYTES <= reference.hashes.length &&
      !sameBytes(hash, hashAt(reference.hashes, position))
    ) {
      return difference(position, nameDifference({ index, position }, leaves, reference.hashes));
    }
    const fault = books.take(leaf);
    if (fault !== null) return difference(position, fault);
  }
  return null;
}

/** Grows the tree and holds it to each checkpoint on the way. */
function compareRoots(run: Run, hashes: Uint8Array): Verdict | null {
  const end = run.edge.size + hashes.length / HASH_BYTES;
  const start = run.edge.size;
  const due = run.reference.checkpoints.filter(({ size }) => size > start && size <= end);
  for (const { size, root } of due) {
    run.edge = growEdge(
      run.edge,
      hashes.subarray((run.edge.size - start) * HASH_BYTES, (size - start) * HASH_BYTES),
      sha256,
    ).edge;
    if (!sameBytes(rootOf(run.edge, sha256), root)) {
      return {
        ok: false,
        position: run.good,
        until: size,
        what: `the first ${size} entries are not those of the checkpoint; those up to ${run.good} are`,
      };
    }
    run.good = size;
  }
  run.edge = growEdge(run.edge, hashes.subarray((run.edge.size - start) * HASH_BYTES), sha256).edge;
  return null;
}

/**
 * Reads the log from its beginning and holds every entry to what was sealed: its hash where that is known, the root at every checkpoint, and the
 * books to themselves. Stops at the first difference.
 */
export async function verifyLog(source: LogSource, reference: Reference): Promise<Verdict> {
  const size = reference.checkpoints.at(-1)?.size ?? 0;
  const run: Run = { reference, books: new Books(), edge: EMPTY_EDGE, good: 0 };
  const tiles = tilesOfLevel(size, 0);
  const waiting: Promise<Uint8Array | null>[] = [];
  for (const tile of tiles) {
    while (waiting.length < AHEAD && tile.number + waiting.length < tiles.length)
      waiting.push(fetchAhead(source, tiles[tile.number + waiting.length]));
    const bundle = (await waiting.shift()) ?? null;
    const verdict = takeTile(run, tile, bundle);
    if (verdict !== null) return verdict;
  }
  const { contradicted } = reference;
  if (contradicted !== null)
    return {
      ok: false,
      position: 0,
      until: contradicted,
      what: 'the entries are what was sealed, and the newest checkpoint of the village says otherwise',
    };
  return { ok: true, entries: run.edge.size, transfers: run.books.transfers, waiting: run.books.waiting };
}

async function fetchAhead(source: LogSource, tile: TileAddress | undefined): Promise<Uint8Array | null> {
  return tile === undefined ? null : source.entries(tile);
}

/** Entries too few or too many. Where their hashes are known all that are there were right, so the first one missing is the next. */
function countFault({ edge, reference }: Run, tile: TileAddress, count: number): Verdict | null {
  if (count === tile.width) return null;
  const known = (edge.size + Math.min(count, tile.width)) * HASH_BYTES <= reference.hashes.length;
  const words =
    count < tile.width
      ? `${tile.width - count} entries are missing`
      : `there are ${count - tile.width} entries too many`;
  return {
    ok: false,
    position: edge.size + (known ? Math.min(count, tile.width) : 0),
    until: edge.size + tile.width,
    what: words,
  };
}

function takeTile(run: Run, tile: TileAddress, bundle: Uint8Array | null): Verdict | null {
  const leaves = bundle === null ? [] : readEntryBundle(bundle);
  if (leaves === null) return difference(run.edge.size, 'the entries cannot be read');
  const hashes = new Uint8Array(leaves.length * HASH_BYTES);
  return takeEntries(run, leaves, hashes) ?? countFault(run, tile, leaves.length) ?? compareRoots(run, hashes);
}
