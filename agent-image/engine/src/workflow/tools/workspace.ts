import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { keptCopies, type KeptCopies } from './kept-copies.ts';

/** Variables that a command gets. Keys and other settings of the engine's process stay out. */
const SHARED_VARIABLES = ['HOME', 'LANG', 'LANGUAGE', 'LC_ALL', 'LOGNAME', 'PATH', 'TMPDIR', 'TZ', 'USER'] as const;

/** The folder in which built-in tools work, and what belongs to it. */
export type Workspace = Readonly<{
  /** Absolute and without links. */
  root: string;
  kept: KeptCopies;
  /** The variables of commands. */
  environment: Readonly<Record<string, string>>;
}>;

type Folders = Readonly<{
  root: string;
  /** The folder for copies of changed files, below the engine's data. Tools must not reach it: keep it out of the root. */
  data: string;
  environment: Readonly<Record<string, string | undefined>>;
}>;

/** Opens a workspace. Rejects if the root does not exist. */
export async function openWorkspace({ root, data, environment }: Folders): Promise<Workspace> {
  const shared = SHARED_VARIABLES.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    root: await realpath(root),
    kept: keptCopies(join(data, 'kept')),
    environment: Object.fromEntries(shared),
  };
}
