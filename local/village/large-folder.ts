/** Large folders that live for minutes: in memory if that has room, because writing gigabytes to a disk is slow. */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';

const MEMORY_FOLDER = '/dev/shm';
/** The type of a file system in memory, as the kernel numbers it. */
const TMPFS = 0x01021994;
/** A folder is in memory if this much is free. A run of tests uses about 1 GiB of memory, and the images of a village 2 GiB. */
const MEMORY_NEEDED_BYTES = 6 * 1024 ** 3;

/** Makes a folder `NAME-PID-…`, in `disk` if the memory has no room, and deletes those of killed processes. */
export async function largeFolder(name: string, disk: string): Promise<string> {
  // Folders that a killed process left in memory would otherwise fill it.
  for (const parent of new Set([MEMORY_FOLDER, disk])) await sweep(parent, new RegExp(`^${name}-(\\d+)-`));
  return mkdtemp(join((await hasRoom()) ? MEMORY_FOLDER : disk, `${name}-${process.pid}-`));
}

async function hasRoom(): Promise<boolean> {
  const found = await statfs(MEMORY_FOLDER).catch(() => undefined);
  return found?.type === TMPFS && Math.min(found.bavail * found.bsize, freemem()) >= MEMORY_NEEDED_BYTES;
}

/** Deletes the folders of killed processes; the name of a folder contains its process. */
async function sweep(parent: string, owner: RegExp): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const process = owner.exec(name)?.[1];
    if (process === undefined || existsSync(`/proc/${process}`)) continue;
    // The folder of another user stays.
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }
}
