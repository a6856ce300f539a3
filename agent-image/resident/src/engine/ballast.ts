import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import type { Log } from '../process/json-log.ts';

/** Room for the last events of every run and a checkpoint of the journal. */
export const BALLAST_BYTES = 16 << 20;
/** On a small volume the ballast takes this part of it. */
const SMALLEST_PART = 32;
/** The ballast comes back when the volume has this many times its size free. */
const FREE_TO_TAKE = 4;
const TAKE_BACK_EVERY_MS = 60_000;
const CHUNK = Buffer.alloc(1 << 20);

/**
 * A file that holds room for the journal on the volume that it shares with the hands, whose programs may fill it. On a full
 * disk the resident gives the room up and continues to write. It takes the room again when the volume has enough.
 */
export interface Ballast {
  readonly giveUp: () => boolean;
  readonly close: () => void;
}

/** Opens the ballast at `path`. A volume without room for it gets none, and a warning. */
export function openBallast(path: string, folder: string, log: Log): Ballast {
  const { blocks, bsize } = statfsSync(folder);
  const bytes = Math.min(BALLAST_BYTES, Math.floor((blocks * bsize) / SMALLEST_PART));
  let isHeld = sizeOf(path) >= bytes;
  const take = (): void => {
    isHeld ||= hasRoom(folder, bytes) && fill(path, bytes);
  };
  take();
  if (!isHeld) warn(log, 'the volume of the agent is nearly full, so its journal has no room of its own');
  const timer = setInterval(take, TAKE_BACK_EVERY_MS).unref();
  return {
    giveUp: () => {
      const held = sizeOf(path) > 0;
      rmSync(path, { force: true });
      if (held) warn(log, 'the volume of the agent is full; its journal uses the room that was kept for it');
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

/** Writes all bytes, because a file without them takes no room. False if the disk is full. */
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
