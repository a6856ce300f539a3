import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SKILL_FILE_MAX_CHARS, SKILL_FILES_MAX } from '@hamlet/contract/resident';
import type { SkillFiles } from '@hamlet/contract';
import { unreadable, type Folder } from './skill-folder.ts';

/** Maximum depth of folders below that of a skill. */
const DEPTH_MAX = 3;
/** A character has at most four bytes. */
const FILE_MAX_BYTES = 4 * SKILL_FILE_MAX_CHARS;

class Refused extends Error {}

/** Reads a folder of the image. Refuses links, devices and too many files. */
export async function readImageSkill(root: string, name: string): Promise<Folder> {
  const folder = join(root, name);
  try {
    const about = await lstat(folder);
    if (!about.isDirectory()) return unreadable(`${folder} is not a folder`);
    const files: { path: string; text: string }[] = [];
    await collect(files, { root: folder, below: '', depth: DEPTH_MAX });
    return { ok: true, files };
  } catch (error) {
    if (error instanceof Refused) return unreadable(error.message);
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      return unreadable(`the image has no folder ${folder}: correct the name in spec.skills`);
    return unreadable(`${folder} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

interface Walk {
  readonly root: string;
  readonly below: string;
  /** Folders below this one that may be entered. */
  readonly depth: number;
}

async function collect(files: SkillFiles, { root, below, depth }: Walk): Promise<void> {
  for (const entry of await readdir(join(root, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory() && depth > 0) await collect(files, { root, below: path, depth: depth - 1 });
    else if (entry.isFile()) files.push({ path, text: await readText(join(root, path)) });
    else throw new Refused(`${path} is a link, a device or too deep: use only regular files in a skill`);
    if (files.length > SKILL_FILES_MAX) throw new Refused(`it has more than ${SKILL_FILES_MAX} files: remove some`);
  }
}

async function readText(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const about = await file.stat();
    if (!about.isFile() || about.size > FILE_MAX_BYTES) throw new Refused(`${path} is too long: shorten it`);
    return textOf(await file.readFile(), path);
  } finally {
    await file.close();
  }
}

/** Decodes UTF-8. Throws for invalid bytes. */
function textOf(data: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data);
  } catch {
    throw new Refused(`${path} is not text: use only text files in a skill`);
  }
}
