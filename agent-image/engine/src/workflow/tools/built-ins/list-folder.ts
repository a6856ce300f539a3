import { lstat, opendir } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import type { ToolOutcome } from '../../../effects/tool-outcome.ts';
import { inFolder, type OpenFolder } from './open-folder.ts';
import { realParts } from './real-parts.ts';
import { isSystemError } from './tool-fault.ts';
import { jsonResult, type ToolJob } from './tool-job.ts';

/** Maximum number of entries in a result. */
export const LISTED_MAX = 1_000;
/** Maximum number of names of a folder that are read. The result for a larger folder may lack its first names. */
const SCANNED_MAX = 50_000;

/** Gives the entries of a folder, sorted by name: `{ path, entries: [{ name, kind, bytes }], more }`. `bytes` is null except for files. */
export async function listFolder({ path }: Readonly<{ path: string }>, job: ToolJob): Promise<ToolOutcome> {
  const { root } = job.workspace;
  const parts = await realParts(root, path);
  const real = parts.join('/');
  job.permit({ kind: 'read', path: real });
  return inFolder({ root, parts }, async (folder) => {
    const { names, isCut } = await namesIn(folder);
    const shown = names.toSorted((a, b) => (a < b ? -1 : 1)).slice(0, LISTED_MAX);
    const entries = (await Promise.all(shown.map((name) => entryIn(folder, name)))).filter((entry) => entry !== null);
    await folder.check();
    return jsonResult({ path: real === '' ? '.' : real, entries, more: isCut || names.length > shown.length });
  });
}

async function namesIn(folder: OpenFolder): Promise<Readonly<{ names: readonly string[]; isCut: boolean }>> {
  const names: string[] = [];
  for await (const { name } of await opendir(folder.self, { bufferSize: 512 })) {
    if (names.length === SCANNED_MAX) return { names, isCut: true };
    names.push(name);
  }
  return { names, isCut: false };
}

type Listed = Readonly<{ name: string; kind: string; bytes: number | null }>;

/** Null if the entry is gone. */
async function entryIn(folder: OpenFolder, name: string): Promise<Listed | null> {
  try {
    const stat = await lstat(folder.at(name));
    return { name, kind: kindOf(stat), bytes: stat.isFile() ? stat.size : null };
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}

function kindOf(stat: Stats): 'file' | 'folder' | 'link' | 'other' {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'folder';
  return stat.isSymbolicLink() ? 'link' : 'other';
}
