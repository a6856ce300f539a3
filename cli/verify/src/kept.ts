import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openNote, readCheckpoint, readVerifierKey } from '@hamlet/core';
import type { Checkpoint, NoteKey } from '@hamlet/core';
import { SourceError } from './log-source.ts';
import { PLATFORM } from './platform.ts';

/** What was kept outside of the village. */
export interface Kept {
  /** Signed checkpoints as they were kept. */
  readonly notes: readonly string[];
  /** The hash of every entry, 32 bytes each, in order; empty where only checkpoints were kept. */
  readonly hashes: Uint8Array;
  /** The key as it was kept; null where it was not. */
  readonly key: string | null;
}

export const NOTHING_KEPT: Kept = { notes: [], hashes: new Uint8Array(0), key: null };

async function textIfThere(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(() => null);
}

/** Reads what was kept: one checkpoint in a file, or the folder that the api writes. Throws SourceError where it is neither. */
export async function readKept(path: string): Promise<Kept> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw new SourceError(`${path} is not there`);
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

/** A key from the text of it. Throws SourceError where it is none. */
export function keyOf(text: string): NoteKey {
  const key = readVerifierKey(text, PLATFORM.sha256);
  if (key === null) throw new SourceError(`no verifier key: ${text.trim()}`);
  return key;
}

/** A checkpoint that a key has signed. Throws SourceError of any other. */
export function checkpointOf(note: string, key: NoteKey): Checkpoint {
  const text = openNote(note, key, PLATFORM);
  const checkpoint = text === null ? null : readCheckpoint(text);
  if (checkpoint === null) throw new SourceError(`a checkpoint is not signed by ${key.name}:\n${note}`);
  return checkpoint;
}
