import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Replaces a file, and returns once the new one is on disk. Throws if the disk has no room for all of the text; the old file then
 * stays as it is.
 */
export function replaceFile(path: string, text: string): void {
  const beside = `${path}.new`;
  try {
    const file = openSync(beside, 'w');
    try {
      writeWhole(file, text);
    } finally {
      closeSync(file);
    }
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Writes all of the text at the position of an open file and syncs it. One `writeSync` may write a part on a disk that gets full. */
export function writeWhole(file: number, text: string): void {
  writeFileSync(file, text);
  fsyncSync(file);
}
