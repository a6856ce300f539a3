import { constants } from 'node:fs';
import { mkdir, open, realpath, type FileHandle } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fault, isSystemError } from './tool-fault.ts';

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** A folder of the workspace. It stays the same while it is used, even if its path changes. */
export type OpenFolder = Readonly<{
  /** The path of an entry, for one operation of the file system that follows no link at its end. */
  at: (name: string) => string;
  /** The path of the folder itself. */
  self: string;
  /** Rejects if the folder is no longer where it was. Call it before something is put into it, and before its content is shown. */
  check: () => Promise<void>;
  sync: () => Promise<void>;
}>;

type FolderPlace = Readonly<{
  /** Absolute and without links. */
  root: string;
  /** Without links, `.` and `..`. */
  parts: readonly string[];
  /** True to create the folders that are missing. */
  creates?: boolean;
  /** By default, true on Linux. */
  byDescriptor?: boolean;
}>;

/**
 * Opens a folder below the root and works in it.
 *
 * Between the check of a path and its use, a program in the workspace can replace a folder by a link that leads out. Node has no
 * `openat`. On Linux, `/proc/self/fd/N/name` is the same: the kernel resolves the name in the folder that descriptor N holds. Each part
 * is opened so from the previous one with `O_NOFOLLOW`, so no part can be a link, and the folder that is then open is the one that
 * operations reach. Elsewhere the parts are opened by their paths, and `check` compares the folder at the path with the open one: that
 * makes the race short, and does not exclude it.
 */
export async function inFolder<T>(place: FolderPlace, work: (folder: OpenFolder) => Promise<T>): Promise<T> {
  const { root, parts, byDescriptor = process.platform === 'linux' } = place;
  let path = root;
  let handle = await open(root, FOLDER);
  try {
    for (const part of parts) {
      const next = join(path, part);
      const at = byDescriptor ? inDescriptor(handle, part) : next;
      const inner = await enter(at, { path: shownPath(root, next), creates: place.creates === true });
      await handle.close();
      [handle, path] = [inner, next];
    }
    return await work(folderOf({ handle, path, byDescriptor, shown: shownPath(root, path) }));
  } finally {
    await handle.close();
  }
}

const inDescriptor = ({ fd }: FileHandle, name: string): string => `/proc/self/fd/${fd}/${name}`;
const shownPath = (root: string, path: string): string => relative(root, path) || '.';

type Entering = Readonly<{ path: string; creates: boolean }>;

async function enter(at: string, { path, creates }: Entering): Promise<FileHandle> {
  try {
    return await open(at, FOLDER);
  } catch (error) {
    if (creates && isSystemError(error, 'ENOENT')) return created(at, path);
    throw entryFault(error, path);
  }
}

async function created(at: string, path: string): Promise<FileHandle> {
  try {
    await mkdir(at);
  } catch (error) {
    // Another call has created it meanwhile.
    if (!isSystemError(error, 'EEXIST')) throw error;
  }
  return enter(at, { path, creates: false });
}

/** The fault for an error of the file system about an entry of the workspace. */
export function entryFault(error: unknown, path: string): unknown {
  if (isSystemError(error, 'ENOENT')) return fault('not_found', `${path} does not exist.`);
  if (isSystemError(error, 'ENOTDIR')) return fault('not_a_folder', `${path} is not a folder.`);
  if (isSystemError(error, 'EISDIR')) return fault('is_a_folder', `${path} is a folder: name a file.`);
  if (isSystemError(error, 'ELOOP')) return moved(path);
  return error;
}

const moved = (path: string): Error => fault('changed', `${path} changed while it was used: call again.`);

type Opened = Readonly<{ handle: FileHandle; path: string; byDescriptor: boolean; shown: string }>;

const folderOf = ({ handle, path, byDescriptor, shown }: Opened): OpenFolder => ({
  at: (name) => (byDescriptor ? inDescriptor(handle, name) : join(path, name)),
  self: byDescriptor ? `/proc/self/fd/${handle.fd}` : path,
  check: async () => {
    if (byDescriptor) return;
    if (!(await isStillAt(handle, path))) throw moved(shown);
  },
  sync: () => handle.sync(),
});

async function isStillAt(handle: FileHandle, path: string): Promise<boolean> {
  try {
    if ((await realpath(path)) !== path) return false;
    const there = await open(path, FOLDER);
    try {
      const [own, other] = await Promise.all([handle.stat({ bigint: true }), there.stat({ bigint: true })]);
      return own.dev === other.dev && own.ino === other.ino;
    } finally {
      await there.close();
    }
  } catch {
    return false;
  }
}
