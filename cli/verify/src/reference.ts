import type { Checkpoint, NoteKey } from '@hamlet/core';
import { EMPTY_EDGE, growEdge, HASH_BYTES, rootOf, sameBytes, tilesOfLevel } from '@hamlet/core';
import { checkpointOf, type Kept } from './kept.ts';
import type { LogSource } from './log-source.ts';
import { PLATFORM } from './platform.ts';
import type { Reference } from './verify-log.ts';

const { sha256 } = PLATFORM;

/** Two signed checkpoints that cannot belong to one log. */
export class Contradiction extends Error {
  readonly size: number;
  constructor(size: number) {
    super(`two signed checkpoints of ${size} entries have different roots`);
    this.size = size;
  }
}

/** Sorts checkpoints by size and drops duplicates. Throws Contradiction. */
function ordered(checkpoints: readonly Checkpoint[]): readonly Checkpoint[] {
  const bySize = new Map<number, Checkpoint>();
  for (const checkpoint of checkpoints) {
    const twin = bySize.get(checkpoint.size);
    if (twin !== undefined && !sameBytes(twin.root, checkpoint.root)) throw new Contradiction(checkpoint.size);
    bySize.set(checkpoint.size, checkpoint);
  }
  return [...bySize.values()].toSorted((a, b) => a.size - b.size);
}

/** The hashes up to the checkpoint's size if their root is the checkpoint's; an empty array otherwise. */
function trusted(hashes: Uint8Array, checkpoint: Checkpoint | undefined): Uint8Array {
  if (checkpoint === undefined || hashes.length < checkpoint.size * HASH_BYTES) return new Uint8Array(0);
  const own = hashes.subarray(0, checkpoint.size * HASH_BYTES);
  return sameBytes(rootOf(growEdge(EMPTY_EDGE, own, sha256).edge, sha256), checkpoint.root) ? own : new Uint8Array(0);
}

async function sealedHashes(source: LogSource, size: number): Promise<Uint8Array> {
  const tiles: Uint8Array[] = [];
  for (const tile of tilesOfLevel(size, 0)) tiles.push((await source.hashes(tile)) ?? new Uint8Array(0));
  return Buffer.concat(tiles);
}

/** The source's own checkpoint with the hashes that lead to its root, unless a kept checkpoint contradicts it. */
async function ownReference(
  source: LogSource,
  outside: readonly Checkpoint[],
  key: NoteKey,
): Promise<{ readonly own: Checkpoint | null; readonly contradicted: boolean; readonly hashes: Uint8Array }> {
  const note = await source.checkpoint();
  const own = note === null ? null : checkpointOf(note, key);
  const contradicted =
    own !== null && outside.some(({ size, root }) => size === own.size && !sameBytes(root, own.root));
  const hashes = own === null || contradicted ? new Uint8Array(0) : trusted(await sealedHashes(source, own.size), own);
  return { own, contradicted, hashes };
}

/**
 * Combines the kept copy with the source's checkpoint. The source's hashes are used only if they give the root of every
 * kept checkpoint. Throws Contradiction if kept checkpoints of one size differ, SourceError for a checkpoint that the
 * key did not sign.
 */
export async function gatherReference(source: LogSource, kept: Kept, key: NoteKey): Promise<Reference> {
  const outside = ordered(kept.notes.map((note) => checkpointOf(note, key)));
  const { own, contradicted, hashes } = await ownReference(source, outside, key);
  const agrees = outside.every((checkpoint) => trusted(hashes, checkpoint).length > 0);
  const fromOutside = outside.map((checkpoint) => trusted(kept.hashes, checkpoint)).at(-1) ?? new Uint8Array(0);
  return {
    checkpoints: ordered(own === null || contradicted ? outside : [...outside, own]),
    hashes: agrees && hashes.length > fromOutside.length ? hashes : fromOutside,
    contradicted: contradicted ? (own?.size ?? 0) : null,
  };
}
