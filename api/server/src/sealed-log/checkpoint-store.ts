import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { readLogHead, readSignedEdge, LogBroken, readLeafTiles, readLogEdge, sha256 } from '@hamlet/store';
import type { Db, Tree } from '@hamlet/store';
import { EMPTY_EDGE, growEdge, HASH_BYTES, rootOf, sameBytes, TILE_WIDTH, type Edge } from '@hamlet/core';
import type { LogSigner } from './log-signer.ts';

export interface CheckpointStore {
  readonly known: () => Tree | null;
  /**
   * Stores and then adopts the newest checkpoint of the log. Returns the checkpoint's size. Throws LogBroken if the
   * checkpoint does not continue the known tree.
   */
  follow(db: Db): Promise<number>;
}

/** Keeps the newest checkpoint in memory. It protects the log while the process runs, even if the folder is lost. */
export function keepInMemory({ open }: LogSigner): CheckpointStore {
  let newest: Tree | null = null;
  let adopted: string | null = null;
  const known = (): Tree | null => newest;
  return {
    known,
    follow: async (db) => {
      const head = await readLogHead(db);
      if (head.note === null || head.note !== adopted) {
        await readSignedEdge(db, head, { open, known });
        newest = head.note === null ? newest : open(head.note);
        adopted = head.note;
      }
      return head.size;
    },
  };
}

/** The process knows the newest checkpoint even if the folder is emptied. */
export function keepInBoth(folder: CheckpointStore, memory: CheckpointStore): CheckpointStore {
  return {
    known: () => {
      const [kept, seen] = [folder.known(), memory.known()];
      return kept === null || (seen !== null && seen.size > kept.size) ? seen : kept;
    },
    follow: async (db) => {
      await folder.follow(db);
      return memory.follow(db);
    },
  };
}

const TILES_AT_ONCE = 256;

async function readIfThere(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

/** Writes a file whole or not at all, and resolves when it is on the disk. */
async function writeDurably(folder: string, name: string, text: string): Promise<void> {
  const temporary = join(folder, `.${name}.new`);
  const file = await open(temporary, 'w', 0o644);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, join(folder, name));
  const directory = await open(folder, 'r');
  await directory.sync().finally(() => directory.close());
}

/** First cuts off the remains of an interrupted write, then waits for the disk. */
async function appendHashes(file: string, position: number, hashes: Uint8Array): Promise<void> {
  const handle = await open(file, 'a+').then((created) => created.close().then(() => open(file, 'r+')));
  try {
    await handle.truncate(position * HASH_BYTES);
    await handle.write(hashes, 0, hashes.length, position * HASH_BYTES);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

function treeOf(note: string, signer: LogSigner): Tree {
  const tree = signer.open(note);
  if (tree === null) throw new LogBroken(`a checkpoint is not signed by ${signer.verifierKey}`);
  return tree;
}

/** Throws LogBroken if the log is shorter than the checkpoint, or its root differs. */
async function edgeAt(db: Db, kept: Tree): Promise<Edge> {
  const head = await readLogHead(db);
  if (head.size < kept.size) throw new LogBroken(`the log has ${head.size} entries, but ${kept.size} were sealed`);
  const edge = kept.size === 0 ? EMPTY_EDGE : await readLogEdge(db, kept.size);
  if (!sameBytes(rootOf(edge, sha256), kept.root))
    throw new LogBroken(`the first ${kept.size} entries of the log differ from the sealed ones`);
  return edge;
}

/**
 * Opens the folder of checkpoints, on its own disk, and creates it if it is missing. `checkpoint` is the newest
 * checkpoint, `checkpoints/SIZE` are the permanent ones, `hashes` has the hash of every entry (32 bytes each, in
 * order), from which a difference can be located, and `key.pub` is the key. The store adopts no checkpoint that does
 * not continue the stored tree. Throws LogBroken if another key signed the content of the folder.
 */
export async function openCheckpointFolder(folder: string, signer: LogSigner): Promise<CheckpointStore> {
  await mkdir(join(folder, 'checkpoints'), { recursive: true });
  const before = (await readIfThere(join(folder, 'key.pub')))?.trim();
  if (before === undefined) await writeDurably(folder, 'key.pub', `${signer.verifierKey}\n`);
  else if (before !== signer.verifierKey)
    throw new LogBroken(`the checkpoints in ${folder} were signed by ${before}, but the key is ${signer.verifierKey}`);
  let edge: Edge | null = null;
  let adopted: string | null = null;

  async function adopt(grown: Edge, from: number, note: string): Promise<void> {
    await writeDurably(folder, 'checkpoint', note);
    if (Math.floor(from / TILE_WIDTH) !== Math.floor(grown.size / TILE_WIDTH) || from === 0) {
      await writeDurably(join(folder, 'checkpoints'), String(grown.size).padStart(16, '0'), note);
    }
    edge = grown;
    adopted = note;
  }

  async function growTo(db: Db, start: Edge, size: number): Promise<Edge> {
    let grown = start;
    while (grown.size < size) {
      const from = Math.floor(grown.size / TILE_WIDTH);
      const tiles = await readLeafTiles(db, { from, to: Math.min(from + TILES_AT_ONCE, Math.ceil(size / TILE_WIDTH)) });
      const hashes = Buffer.concat(tiles).subarray(
        (grown.size % TILE_WIDTH) * HASH_BYTES,
        (size - from * TILE_WIDTH) * HASH_BYTES,
      );
      if (hashes.length === 0) throw new LogBroken(`tile ${from} of the log is missing`);
      await appendHashes(join(folder, 'hashes'), grown.size, hashes);
      grown = growEdge(grown, hashes, sha256).edge;
    }
    return grown;
  }

  async function kept(db: Db): Promise<Edge> {
    const note = await readIfThere(join(folder, 'checkpoint'));
    return note === null ? EMPTY_EDGE : edgeAt(db, treeOf(note, signer));
  }

  return {
    known: () => (edge === null ? null : { size: edge.size, root: rootOf(edge, sha256) }),
    follow: async (db) => {
      edge ??= await kept(db);
      const { size, note } = await readLogHead(db);
      if (size < edge.size) throw new LogBroken(`the log has ${size} entries, but ${edge.size} were sealed`);
      if (note === adopted || note === null) return edge.size;
      const newest = treeOf(note, signer);
      const from = edge.size;
      const grown = await growTo(db, edge, newest.size);
      if (!sameBytes(rootOf(grown, sha256), newest.root))
        throw new LogBroken(`the checkpoint of ${size} does not continue that of ${from}`);
      await adopt(grown, from, note);
      return size;
    },
  };
}
