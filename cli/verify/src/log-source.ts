import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createClient, getLogCheckpoint, getLogEntries, getLogKey, getLogTile, type Outcome } from '@hamlet/contract';
import { tilePath, tilesOfLevel, type TileAddress } from '@hamlet/core';

export interface LogSource {
  readonly name: string;
  /** The newest signed checkpoint; null if there is none. */
  checkpoint(): Promise<string | null>;
  /** The public key of the checkpoints that the source gives. */
  key(): Promise<string | null>;
  /** An entry bundle, possibly partial; null if there is none. */
  entries(tile: TileAddress): Promise<Uint8Array | null>;
  /** Hashes of sealed entries; null if there are none. */
  hashes(tile: TileAddress): Promise<Uint8Array | null>;
}

/** A source that cannot be read. */
export class SourceError extends Error {}

function answerOf<T>(outcome: Outcome<T>): T | null {
  if (outcome.ok) return outcome.data;
  const { code, detail } = outcome.problem;
  if (code === 'not_sealed' || code === 'no_such_tile') return null;
  throw new SourceError(`the village refused the request: ${detail} (${code})`);
}

/** The log of a running village. Entries need an admin's token. */
export function villageSource(url: string, token: string | undefined): LogSource {
  const village = createClient({ baseUrl: url, ...(token === undefined ? {} : { token }) });
  return {
    name: url,
    checkpoint: async () => answerOf(await village.call(getLogCheckpoint, {})),
    key: async () => answerOf(await village.call(getLogKey, {})),
    entries: async (tile) => answerOf(await village.call(getLogEntries, { params: { tile: tilePath(tile) } })),
    hashes: async (tile) => answerOf(await village.call(getLogTile, { params: { level: 0, tile: tilePath(tile) } })),
  };
}

async function bytesOf(file: string): Promise<Uint8Array | null> {
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
}

/** A saved log, in the layout of C2SP tlog-tiles with the key beside it. */
export function folderSource(folder: string): LogSource {
  const asText = async (name: string): Promise<string | null> => {
    const bytes = await bytesOf(join(folder, name));
    return bytes === null ? null : new TextDecoder().decode(bytes);
  };
  return {
    name: folder,
    checkpoint: () => asText('checkpoint'),
    key: () => asText('key'),
    entries: (tile) => bytesOf(join(folder, 'tile/entries', tilePath(tile))),
    hashes: (tile) => bytesOf(join(folder, 'tile/0', tilePath(tile))),
  };
}

async function save(file: string, content: Uint8Array | string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

/**
 * The source, fixed at its present checkpoint: a village seals more entries while its log is read, but a saved log ends
 * at one checkpoint.
 */
export async function atItsCheckpoint(source: LogSource): Promise<LogSource> {
  const note = await source.checkpoint();
  return { ...source, checkpoint: () => Promise.resolve(note) };
}

/**
 * Saves the first `size` entries of a log. It writes the checkpoint last, so a folder with a checkpoint is complete.
 */
export async function saveLog(source: LogSource, size: number, folder: string): Promise<void> {
  await rm(join(folder, 'checkpoint'), { force: true });
  for (const tile of tilesOfLevel(size, 0)) {
    const [entries, hashes] = await Promise.all([source.entries(tile), source.hashes(tile)]);
    if (entries !== null) await save(join(folder, 'tile/entries', tilePath(tile)), entries);
    if (hashes !== null) await save(join(folder, 'tile/0', tilePath(tile)), hashes);
  }
  await save(join(folder, 'key'), (await source.key()) ?? '');
  await save(join(folder, 'checkpoint'), (await source.checkpoint()) ?? '');
}
