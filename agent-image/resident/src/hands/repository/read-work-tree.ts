import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HandsError, withHands } from '../hands-client.ts';
import { FilePart } from '../process-record.ts';
import { foldersOf, type Repository } from './work-trees.ts';

export interface WorkTree {
  readonly repo: string | null;
  readonly branch: string | null;
}

/** Reads a small file below the workspace; empty if there is none. */
export type ReadText = (path: string) => Promise<string>;

const NOTHING: WorkTree = { repo: null, branch: null };
const FILE_MAX_BYTES = 64 << 10;

/**
 * The current origin and branch of a repository's work tree, or those of the repository itself while there is no work tree. Reads
 * files instead of running git, because files in the hands could make git start programs.
 */
export async function readWorkTree(repository: Repository | null, read: ReadText): Promise<WorkTree> {
  if (repository === null) return NOTHING;
  for (const folder of foldersOf(repository)) {
    const [head, config] = await Promise.all([read(`${folder}/.git/HEAD`), read(`${folder}/.git/config`)]);
    const repo = originIn(config);
    if (repo !== repository.url) continue;
    return { repo, branch: /^ref: refs\/heads\/(\S+)$/m.exec(head)?.[1] ?? null };
  }
  return { repo: repository.url, branch: repository.branch };
}

function originIn(config: string): string | null {
  const origin = config.split(/^\[/m).find((section) => section.startsWith('remote "origin"]')) ?? '';
  return /^\s*url\s*=\s*(\S+)\s*$/m.exec(origin)?.[1] ?? null;
}

export const readIn =
  (folder: string): ReadText =>
  async (path) => {
    try {
      return await readFile(join(folder, path), 'utf8');
    } catch {
      return '';
    }
  };

/** Reads files of the hands' workspace; empty if they are unreachable. */
export const readInHands =
  (socket: string, root: string): ReadText =>
  async (path) => {
    const args = { root, path, offset: 0, bytes: FILE_MAX_BYTES };
    try {
      return (await withHands(socket, (hands) => hands.ask('fs.read', args, FilePart))).data.toString();
    } catch (error) {
      if (error instanceof HandsError) return '';
      throw error;
    }
  };
