import { realpath } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { isSystemError } from './built-ins/tool-fault.ts';
import type { ReservedPath } from './check-tool-call.ts';
import { keptCopies, type KeptCopies } from './kept-copies.ts';

/** Variables that a command gets. Keys and other settings of the engine's process stay out. */
const SHARED_VARIABLES = ['HOME', 'LANG', 'LANGUAGE', 'LC_ALL', 'LOGNAME', 'PATH', 'TMPDIR', 'TZ', 'USER'] as const;

/** The folder in which built-in tools work, and what belongs to it. */
export type Workspace = Readonly<{
  /** Absolute and without links. */
  root: string;
  kept: KeptCopies;
  /** Places of the engine below the root. */
  reserved: readonly ReservedPath[];
  /** The variables of commands. */
  environment: Readonly<Record<string, string>>;
}>;

type Folders = Readonly<{
  root: string;
  /** The folder of the engine's data, also of copies of changed files. Tools that name paths do not reach it. */
  data: string;
  /** Files that tools may read but not write: the manifests, whose permissions bind the tools. */
  manifests?: readonly string[];
  environment: Readonly<Record<string, string | undefined>>;
}>;

/** Opens a workspace. Rejects if the root does not exist. */
export async function openWorkspace({ root, data, manifests = [], environment }: Folders): Promise<Workspace> {
  const shared = SHARED_VARIABLES.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const real = await realpath(root);
  const reserved = [await reservedIn(real, { path: data, isData: true })];
  for (const path of manifests) reserved.push(await reservedIn(real, { path, isData: false }));
  return {
    root: real,
    kept: keptCopies(join(data, 'kept')),
    reserved: reserved.filter((each) => each !== null),
    environment: Object.fromEntries(shared),
  };
}

type Reserving = Readonly<{ path: string; isData: boolean }>;

/** Null for a place that is not below the root. */
async function reservedIn(root: string, { path, isData }: Reserving): Promise<ReservedPath | null> {
  const inside = relative(root, await realOf(path));
  return inside === '..' || inside.startsWith(`..${sep}`) ? null : { path: inside.replaceAll(sep, '/'), isData };
}

/** The path without links; as it is if nothing is there yet. */
async function realOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return resolve(path);
    throw error;
  }
}
