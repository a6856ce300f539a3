import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import type { Log } from '../process/json-log.ts';

/** Enough space for the last events of every run and a checkpoint of the journal. */
export const BALLAST_BYTES = 16 << 20;
/** On a small volume the ballast takes this fraction of it. */
const SMALLEST_PART = 32;
/** The ballast is restored when the volume has this many times its size free. */
const FREE_TO_TAKE = 4;
const TAKE_BACK_EVERY_MS = 60_000;
const CHUNK = Buffer.alloc(1 << 20);

/**
 * A file that reserves space for the journal on the volume, which the programs in the hands may fill. On a full disk the resident
 * deletes the file and continues to write. It creates the file again when the volume has enough space.
 */
export interface Ballast {
  readonly giveUp: () => boolean;
  readonly close: () => void;
}

/** Opens the ballast at `path`. If the volume has no space for it, logs a warning and returns none. */
export function openBallast(path: string, folder: string, log: Log): Ballast {
  const { blocks, bsize } = statfsSync(folder);
  const bytes = Math.min(BALLAST_BYTES, Math.floor((blocks * bsize) / SMALLEST_PART));
  let isHeld = sizeOf(path) >= bytes;
  const take = (): void => {
    isHeld ||= hasRoom(folder, bytes) && fill(path, bytes);
  };
  take();
  if (!isHeld) warn(log, 'the volume of the agent is nearly full, so no space is reserved for its journal');
  const timer = setInterval(take, TAKE_BACK_EVERY_MS).unref();
  return {
    giveUp: () => {
      const held = sizeOf(path) > 0;
      rmSync(path, { force: true });
      if (held) warn(log, 'the volume of the agent is full; its journal uses the reserved space');
      isHeld = false;
      return held;
    },
    close: () => clearInterval(timer),
  };
}

const warn = (log: Log, state: string): void =>
  log.warn('capability', { code: 'disk_full', message: `${state}: delete files in the workspace` });

function hasRoom(folder: string, bytes: number): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= bytes * FREE_TO_TAKE;
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Writes all bytes, because a sparse file reserves no space. False if the disk is full. */
function fill(path: string, bytes: number): boolean {
  const file = openSync(path, 'w', 0o600);
  try {
    for (let left = bytes; left > 0; left -= CHUNK.length) writeSync(file, CHUNK, 0, Math.min(left, CHUNK.length));
    return true;
  } catch {
    rmSync(path, { force: true });
    return false;
  } finally {
    closeSync(file);
  }
}
