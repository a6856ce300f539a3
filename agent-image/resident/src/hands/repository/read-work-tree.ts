import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { connectHands, HandsError } from '../hands-client.ts';
import { foldersOf, type Repository } from './work-trees.ts';

/** Repository and branch of a work tree; null where there is none. */
export interface WorkTree {
  readonly repo: string | null;
  readonly branch: string | null;
}

/** Reads a small file below the workspace; empty if there is none. */
export type ReadText = (path: string) => Promise<string>;

const NOTHING: WorkTree = { repo: null, branch: null };
const FILE_MAX_BYTES = 64 << 10;

/**
 * The origin and the branch of the work tree of a repository as git has them now, or those of the repository itself while there is no
 * work tree. Git is not started for it, since the files in the hands may name programs.
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

/** Reads files of a folder of this container. */
export const readIn =
  (folder: string): ReadText =>
  async (path) => {
    try {
      return await readFile(join(folder, path), 'utf8');
    } catch {
      return '';
    }
  };

const Part = z.object({ data: z.base64().transform((text) => Buffer.from(text, 'base64').toString()) });

/** Reads files of the workspace of the hands. Hands that do not answer have none. */
export const readInHands =
  (socket: string, workspace: string): ReadText =>
  async (path) => {
    try {
      const hands = await connectHands(socket);
      try {
        const { data } = await hands.ask('fs.read', { root: workspace, path, offset: 0, bytes: FILE_MAX_BYTES }, Part);
        return data;
      } finally {
        hands.close();
      }
    } catch (error) {
      if (error instanceof HandsError) return '';
      throw error;
    }
  };
