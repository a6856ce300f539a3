import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openNote, readCheckpoint, readVerifierKey, type Checkpoint, type NoteKey } from '@hamlet/core';
import { SourceError } from './log-source.ts';
import { PLATFORM } from './platform.ts';

/** A copy of the log's checkpoints and hashes outside of the village. */
export interface Kept {
  readonly notes: readonly string[];
  /** Hashes of all entries in order, 32 bytes each; empty if the copy has only checkpoints. */
  readonly hashes: Uint8Array;
  /** The public key; null if the copy has none. */
  readonly key: string | null;
}

export const NOTHING_KEPT: Kept = { notes: [], hashes: new Uint8Array(0), key: null };

const textIfThere = async (file: string): Promise<string | null> => readFile(file, 'utf8').catch(() => null);

/** Reads the copy: a file with one checkpoint, or the folder that the api writes. Throws SourceError for anything else. */
export async function readKept(path: string): Promise<Kept> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw new SourceError(`${path} does not exist`);
  if (!found.isDirectory()) return { ...NOTHING_KEPT, notes: [await readFile(path, 'utf8')] };
  const newest = await textIfThere(join(path, 'checkpoint'));
  if (newest === null) throw new SourceError(`${path} has no checkpoint`);
  const earlier = await readdir(join(path, 'checkpoints')).catch(() => []);
  const notes = await Promise.all(
    earlier.filter((name) => /^\d+$/.test(name)).map((name) => readFile(join(path, 'checkpoints', name), 'utf8')),
  );
  return {
    notes: [...notes, newest],
    hashes: await readFile(join(path, 'hashes')).catch(() => new Uint8Array(0)),
    key: await textIfThere(join(path, 'key.pub')),
  };
}

export function keyOf(text: string): NoteKey {
  const key = readVerifierKey(text, PLATFORM.sha256);
  if (key === null) throw new SourceError(`not the public key of a log: ${text.trim()}`);
  return key;
}

/** Parses a checkpoint. Throws SourceError unless the key signed it. */
export function checkpointOf(note: string, key: NoteKey): Checkpoint {
  const text = openNote(note, key, PLATFORM);
  const checkpoint = text === null ? null : readCheckpoint(text);
  if (checkpoint === null) throw new SourceError(`a checkpoint is not signed by ${key.name}:\n${note}`);
  return checkpoint;
}
