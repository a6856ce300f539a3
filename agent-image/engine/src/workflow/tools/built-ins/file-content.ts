import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { entryFault, type OpenFolder } from './open-folder.ts';
import { fault, isSystemError } from './tool-fault.ts';

/** `mode`: the permission bits. */
export type FileContent = Readonly<{ data: Buffer; sha256: string; mode: number }>;

export const sha256Of = (data: Buffer): string => createHash('sha256').update(data).digest('hex');

/** Without `O_NONBLOCK`, a pipe would hold the call until another program writes to it. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const PERMISSIONS = 0o777;

type Named = Readonly<{ name: string; path: string; maxBytes: number }>;

/** The content of a regular file; null if there is none. Rejects with a fault for anything else, and for more than `maxBytes`. */
export async function contentOf(folder: OpenFolder, { name, path, maxBytes }: Named): Promise<FileContent | null> {
  let handle: FileHandle;
  try {
    handle = await open(folder.at(name), READ);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw isSystemError(error, 'ENXIO', 'ENODEV') ? notAFile(path) : entryFault(error, path);
  }
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) throw fault('is_a_folder', `${path} is a folder: name a file.`);
    if (!stat.isFile()) throw notAFile(path);
    await folder.check();
    const data = await bytesOf(handle, maxBytes);
    if (data === null) throw fault('too_large', `${path} has more than ${maxBytes} bytes: read a part with a command.`);
    return { data, sha256: sha256Of(data), mode: stat.mode & PERMISSIONS };
  } finally {
    await handle.close();
  }
}

const notAFile = (path: string): Error => fault('not_a_file', `${path} is neither a file nor a folder.`);

/** Null if there are more. The file may grow while it is read. */
async function bytesOf(handle: FileHandle, maxBytes: number): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  for (let total = 0; ;) {
    const { bytesRead, buffer } = await handle.read({ buffer: Buffer.alloc(PART_BYTES) });
    if (bytesRead === 0) return Buffer.concat(parts);
    total += bytesRead;
    if (total > maxBytes) return null;
    parts.push(buffer.subarray(0, bytesRead));
  }
}

const PART_BYTES = 64 << 10;

type NewContent = Readonly<{ name: string; path: string; data: Buffer; mode: number | null }>;

/** Replaces a file in one step: a reader finds the old content or the new one. `mode` is null for a new file. */
export async function replaceFile(folder: OpenFolder, { name, path, data, mode }: NewContent): Promise<void> {
  const temporary = folder.at(`.${randomUUID()}.tmp`);
  await folder.check();
  try {
    const handle = await open(temporary, CREATE, mode === null ? 0o666 : 0o600);
    try {
      await handle.writeFile(data);
      if (mode !== null) await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await folder.check();
    await rename(temporary, folder.at(name));
  } catch (error) {
    await rm(temporary, { force: true });
    throw entryFault(error, path);
  }
  await folder.sync();
}
