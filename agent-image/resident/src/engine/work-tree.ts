import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface WorkTree {
  readonly repo: string | null;
  readonly branch: string | null;
}

/** The origin and the branch of a git work tree, read at each call. Null where the folder has none. */
export async function readWorkTree(path: string): Promise<WorkTree> {
  const [head, config] = await Promise.all([textOf(join(path, '.git/HEAD')), textOf(join(path, '.git/config'))]);
  const branch = /^ref: refs\/heads\/(\S+)$/m.exec(head)?.[1] ?? null;
  const origin = config.split(/^\[/m).find((section) => section.startsWith('remote "origin"]')) ?? '';
  return { repo: /^\s*url\s*=\s*(\S+)\s*$/m.exec(origin)?.[1] ?? null, branch };
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return '';
  }
}
