/** Build contexts: the inputs of an image, which are hashed and copied into a separate folder. */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  readlinkSync,
  utimesSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { CACHE } from '../paths.ts';

/** Time of every staged file, because buildah's layer cache compares times as well as bytes. */
const EPOCH = new Date('2000-01-01T00:00:00Z');
const LEFT_OUT = /^node_modules$|^dist$|\.test\.tsx?$/;

export interface Source {
  /** A file or folder on this machine. */
  readonly from: string;
  /** The path in the context; `.` for the contents of a folder. */
  readonly to: string;
  /** Includes tests, node_modules and dist, which are excluded otherwise. */
  readonly whole?: boolean;
}

/** A hash of path, mode and bytes of all files of the sources. */
export function hashSources(sources: readonly Source[], extra: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(extra));
  for (const { from, to } of entriesOf(sources)) {
    const stat = lstatSync(from);
    const link = stat.isSymbolicLink();
    hash
      .update(`${to}\0${link ? 'link' : stat.mode & 0o111}\0`)
      .update(link ? readlinkSync(from) : readFileSync(from))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}

/** Copies the sources into an empty folder of the cache. Files of the cache itself, which never change, become links. */
export function stageSources(sources: readonly Source[], folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  // A later source replaces an earlier one with the same path.
  const last = new Map(entriesOf(sources).map((entry) => [entry.to, entry.from]));
  for (const [to, from] of last) {
    const target = join(folder, to);
    mkdirSync(dirname(target), { recursive: true });
    if (lstatSync(from).isSymbolicLink()) {
      symlinkSync(readlinkSync(from), target);
    } else {
      if (from.startsWith(`${CACHE}/`)) linkSync(from, target);
      else copyFileSync(from, target);
      utimesSync(target, EPOCH, EPOCH);
    }
  }
  settleFolderTimes(folder);
}

function settleFolderTimes(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) settleFolderTimes(join(folder, entry.name));
  }
  utimesSync(folder, EPOCH, EPOCH);
}

function entriesOf(sources: readonly Source[]): Readonly<{ from: string; to: string }>[] {
  const entries = sources.flatMap(({ from, to, whole }) =>
    filesOf(from, whole === true).map((file) => ({ from: file, to: join(to, relative(from, file)) })),
  );
  return entries.toSorted((a, b) => (a.to < b.to ? -1 : 1));
}

function filesOf(path: string, whole: boolean): string[] {
  if (!lstatSync(path).isDirectory()) return [path];
  const names = readdirSync(path).filter((name) => whole || !LEFT_OUT.test(name));
  return names.flatMap((name) => filesOf(join(path, name), whole));
}

/** Fills a folder of the cache unless it exists. A folder is renamed into place, so it is always complete. */
export async function cachedFolder(folder: string, fill: (part: string) => Promise<void>): Promise<string> {
  if (existsSync(folder)) return folder;
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  await fill(part);
  renameSync(part, folder);
  return folder;
}
