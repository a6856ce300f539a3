import { accessSync, constants, statSync } from 'node:fs';

/** Something the resident can do without, and what to do about it. */
export interface Warning {
  readonly code: 'not_writable' | 'unknown_runtime' | 'runtime_failed';
  readonly message: string;
}

/** Looks whether the folders that a runtime works in are there and writable. Nothing here ends the resident. */
export function checkFolders(folders: Readonly<Record<string, string>>): readonly Warning[] {
  return Object.entries(folders).flatMap(([name, path]) => {
    const trouble = troubleWith(path);
    return trouble === null
      ? []
      : [{ code: 'not_writable' as const, message: `the ${name} folder ${path} cannot be used: ${trouble}` }];
  });
}

function troubleWith(path: string): string | null {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return statSync(path).isDirectory() ? null : 'it is no folder';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
