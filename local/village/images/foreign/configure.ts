/**
 * Configures unpacked packages like the native image: maintainer scripts and RUN give the same results on every
 * architecture.
 */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  type Stats,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { NAMES, hostArchitecture } from '../architecture.ts';
import { walkTree, type TreeEntry } from './tree.ts';

/** Bits of `st_mode` that chmod sets. */
const MODE_BITS = 0o7777;
const MERGED = /^\/(bin|sbin|lib|lib32|lib64|libx32)\//;
/** Paths that belong to one architecture or one run: records of dpkg, caches of addresses and compiled code, devices. */
const OF_ONE_ARCHITECTURE =
  /^\/(dev|proc|sys|lib32|lib64|libx32)(\/|$)|^\/etc\/ld\.so\.cache$|^\/var\/lib\/dpkg\/(info|status|available)|^\/var\/lib\/apt\/extended_states$|^\/var\/cache\/.*\/|\/\.compile-cache\/.|\/gconv-modules\.cache$/;

export interface Configuration {
  /** Root of the image of this machine's architecture. */
  readonly native: string;
  /** Root with the unpacked packages of the other architecture. */
  readonly target: string;
  /** True if the caller provides the path itself. */
  readonly isReplaced: (path: string) => boolean;
}

/** Paths that packages own in a root, after the merge of `/usr`. */
export function ownedPaths(root: string): ReadonlySet<string> {
  const info = join(root, 'var/lib/dpkg/info');
  const lists = readdirSync(info).filter((name) => name.endsWith('.list'));
  const paths = lists.flatMap((name) => readFileSync(join(info, name), 'utf8').split('\n'));
  // dpkg lists the root itself as `/.`.
  return new Set(paths.filter((path) => path !== '' && path !== '/.').map(merged));
}

/**
 * Copies files that no package owns, sets owners and modes of the others, and removes what the native image removed.
 */
export function configure({ native, target, isReplaced }: Configuration): void {
  const owned = ownedPaths(native);
  const triplet = NAMES[hostArchitecture()].triplet;
  const isLeftOut = (path: string): boolean =>
    OF_ONE_ARCHITECTURE.test(path) || path.includes(triplet) || isReplaced(path);
  const there = new Set<string>();
  for (const entry of walkTree(native)) {
    there.add(entry.path);
    if (isLeftOut(entry.path)) continue;
    if (!owned.has(entry.path)) copyEntry(native, target, entry);
    else if (existsSync(join(target, entry.path))) adjust(native, target, entry);
  }
  for (const path of owned) {
    if (!there.has(path) && !isLeftOut(path)) rmSync(join(target, path), { recursive: true, force: true });
  }
}

function copyEntry(native: string, target: string, { path, stats }: TreeEntry): void {
  const [from, to] = [join(native, path), join(target, path)];
  if (stats.isDirectory()) {
    mkdirSync(to, { recursive: true });
    return setMode(to, stats);
  }
  // The base may have removed the folder, and a package of the native image created it again.
  mkdirSync(dirname(to), { recursive: true });
  if (stats.isSymbolicLink()) return copyLink(from, to, stats);
  if (!stats.isFile()) return;
  copyFile(from, to);
  setMode(to, stats);
}

function copyLink(from: string, to: string, { uid, gid }: Stats): void {
  const target = readlinkSync(from);
  const there = lstatSync(to, { throwIfNoEntry: false });
  if (there?.isSymbolicLink() === true && readlinkSync(to) === target) return;
  rmSync(to, { recursive: true, force: true });
  symlinkSync(target, to);
  lchownSync(to, uid, gid);
}

/** Copies a file unless the target has the same bytes: an unchanged file adds nothing to the layer. */
export function copyFile(from: string, to: string): void {
  const there = lstatSync(to, { throwIfNoEntry: false });
  if (there?.isFile() === true && there.size === lstatSync(from).size && readFileSync(from).equals(readFileSync(to)))
    return;
  rmSync(to, { recursive: true, force: true });
  copyFileSync(from, to);
}

/** Sets owner and mode of a package's file, and the text of a configuration file. */
function adjust(native: string, target: string, { path, stats }: TreeEntry): void {
  const to = join(target, path);
  if (stats.isSymbolicLink() || lstatSync(to).isSymbolicLink()) return;
  if (path.startsWith('/etc/') && stats.isFile()) copyFile(join(native, path), to);
  setMode(to, stats);
}

function setMode(file: string, { mode, uid, gid }: Stats): void {
  const there = lstatSync(file);
  const isOwned = there.uid === uid && there.gid === gid;
  // A change of owner clears set-user-id bits, so the mode is set after it.
  if (!isOwned) lchownSync(file, uid, gid);
  if (!isOwned || (there.mode & MODE_BITS) !== (mode & MODE_BITS)) chmodSync(file, mode & MODE_BITS);
}

const merged = (path: string): string => (MERGED.test(path) ? `/usr${path}` : path);
