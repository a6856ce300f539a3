import { SKILL_FILE_MAX_CHARS, SKILL_FILES_MAX } from '@hamlet/contract/resident';
import type { SkillFiles } from '@hamlet/contract';
import { HandsError, type HandsClient } from '../hands/hands-client.ts';
import { FilePart } from '../hands/process-record.ts';
import { runAside, type EnvironmentOf } from '../hands/start-process.ts';
import { unreadable, type Folder } from './skill-folder.ts';

const FOLDERS = ['.hamlet/skills', '.claude/skills'] as const;
const OUTPUT_BYTES = 32 << 10;
const FILE_MAX_BYTES = 4 * SKILL_FILE_MAX_CHARS;
const NOT_THERE = 3;

/**
 * Prints the folder of a skill and its files: $1 is the workspace, $2 the maximum number of files, the others are folders. It
 * follows no links; the supervisor reads no file outside the workspace.
 */
const SCRIPT = `cd "$1" || exit ${NOT_THERE}
most=$2
shift 2
for folder in "$@"; do
  [ -f "$folder/SKILL.md" ] && [ ! -L "$folder/SKILL.md" ] && [ ! -L "$folder" ] || continue
  echo "$folder"
  cd "$folder" && find . -maxdepth 4 ! -type d | head -n "$most"
  exit 0
done
exit ${NOT_THERE}`;

export interface RepositoryPorts {
  readonly socket: string;
  readonly workspace: string;
  readonly environmentOf: EnvironmentOf;
}

/** The folder into which a repository is cloned: the last part of its address. Pure. */
export const cloneFolder = (url: string): string =>
  url
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .split(/[/:]/)
    .at(-1) ?? '';

/** Reads a skill from the current work tree of the agent's repository in the hands. */
export async function readRepositorySkill(ports: RepositoryPorts, url: string | null, name: string): Promise<Folder> {
  const { socket, workspace: root, environmentOf } = ports;
  const clone = url === null ? '' : cloneFolder(url);
  const folders = [...(clone === '' ? [] : [`${clone}/`]), ''].flatMap((above) =>
    FOLDERS.map((folder) => `${above}${folder}/${name}`),
  );
  const argv = ['/bin/sh', '-c', SCRIPT, 'hamlet-skills', root, `${SKILL_FILES_MAX + 1}`, ...folders];
  try {
    const program = { name: 'skills', argv, outputBytes: OUTPUT_BYTES, environmentOf };
    return await runAside(socket, program, ({ stdout, exit }, hands) => {
      if (exit.code !== 0)
        return unreadable(`the repository has no ${FOLDERS[0]}/${name}/SKILL.md: clone it, or correct the name`);
      const [folder = '', ...paths] = (stdout?.head.toString() ?? '').split('\n').filter((line) => line !== '');
      if (!folders.includes(folder)) return unreadable('the hands answered with another folder');
      return readAll(hands, { root, folder, paths });
    });
  } catch (error) {
    if (error instanceof HandsError) return unreadable(`the repository cannot be read in the hands: ${error.message}`);
    throw error;
  }
}

interface Listed {
  readonly root: string;
  readonly folder: string;
  readonly paths: readonly string[];
}

async function readAll(hands: HandsClient, { root, folder, paths }: Listed): Promise<Folder> {
  if (paths.length > SKILL_FILES_MAX) return unreadable(`it has more than ${SKILL_FILES_MAX} files: remove some`);
  const files: { path: string; text: string }[] = [];
  for (const listed of paths) {
    const path = listed.replace(/^\.\//, '');
    const args = { root, path: `${folder}/${path}`, offset: 0, bytes: FILE_MAX_BYTES };
    const { size, data } = await hands.ask('fs.read', args, FilePart);
    if (size > FILE_MAX_BYTES) return unreadable(`${path} is too long: shorten it`);
    files.push({ path, text: data.toString('utf8') });
  }
  return { ok: true, files: files satisfies SkillFiles };
}
