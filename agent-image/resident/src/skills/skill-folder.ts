import { createHash } from 'node:crypto';
import {
  SKILL_DESCRIPTION_MAX_CHARS,
  SKILL_FILE,
  SKILL_FILE_MAX_CHARS,
  SKILL_FILES_MAX,
  SKILL_FOLDER_MAX_CHARS,
  SKILL_PROBLEM_MAX_CHARS,
  SkillFront,
  SkillPath,
  splitSkill,
} from '@hamlet/contract/resident';
import type { AgentConfig, SkillFiles } from '@hamlet/contract';
import { compareText } from '@hamlet/core/compare-text';

export type WantedSkill = AgentConfig['skills'][number];

export interface Skill extends Pick<WantedSkill, 'name' | 'from'> {
  readonly description: string;
  readonly instructions: string;
  readonly sha256: string;
  readonly files: ReadonlyMap<string, string>;
}

export interface BrokenSkill extends Pick<WantedSkill, 'name' | 'from'> {
  readonly sha256: string | null;
  readonly paths: readonly string[];
  readonly problem: string;
}
export type Found = { readonly ok: true; readonly skill: Skill } | { readonly ok: false; readonly broken: BrokenSkill };

/** The files of a folder, or the reason why they cannot be read. */
export type Folder =
  | { readonly ok: true; readonly files: SkillFiles }
  | { readonly ok: false; readonly problem: string };

export const unreadable = (problem: string): Folder => ({ ok: false, problem });

export function hashOf(files: SkillFiles): string {
  const hash = createHash('sha256');
  for (const { path, text } of files.toSorted(byPath))
    hash.update(`${path}\0${createHash('sha256').update(text).digest('hex')}\n`);
  return hash.digest('hex');
}

const byPath = (one: { path: string }, other: { path: string }): number => compareText(one.path, other.path);

/** Why files cannot form a skill: too many, too long or with an invalid path; null if they can. Pure. */
export function faultOf(files: SkillFiles): string | null {
  if (files.length > SKILL_FILES_MAX) return `it has more than ${SKILL_FILES_MAX} files: remove some`;
  for (const { path, text } of files) {
    if (!SkillPath.safeParse(path).success)
      return `rename ${path.slice(0, 80)}: use letters, digits and . _ - in paths`;
    if (text.length > SKILL_FILE_MAX_CHARS)
      return `${path} has more than ${SKILL_FILE_MAX_CHARS} characters: shorten it`;
    if (text.includes('\0')) return `${path} is not text: use only text files in a skill`;
  }
  const total = files.reduce((sum, { text }) => sum + text.length, 0);
  if (total > SKILL_FOLDER_MAX_CHARS) return `it has more than ${SKILL_FOLDER_MAX_CHARS} characters: shorten it`;
  return files.some(({ path }) => path === SKILL_FILE) ? null : `it has no ${SKILL_FILE}: add one`;
}

/** Creates a skill from the files of its folder. A broken skill has a reason. Pure, and never throws. */
export async function skillOf(wanted: WantedSkill, folder: Folder): Promise<Found> {
  const { name, from } = wanted;
  if (!folder.ok) return broken(wanted, { sha256: null, paths: [], problem: folder.problem });
  const { files } = folder;
  const fault = faultOf(files);
  const paths = files.map(({ path }) => path).filter((path) => SkillPath.safeParse(path).success);
  const known = { sha256: hashOf(files), paths: paths.slice(0, SKILL_FILES_MAX) };
  if (fault !== null) return broken(wanted, { ...known, problem: fault });
  const front = await frontOf(files.find(({ path }) => path === SKILL_FILE)?.text ?? '', name);
  if (!front.ok) return broken(wanted, { ...known, problem: front.problem });
  const refusal = versionRefusal(wanted, known.sha256);
  if (refusal !== null) return broken(wanted, { ...known, problem: refusal });
  const { description, instructions } = front;
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  return { ok: true, skill: { name, from, description, instructions, sha256: known.sha256, files: texts } };
}

function broken({ name, from }: WantedSkill, about: Pick<BrokenSkill, 'sha256' | 'paths' | 'problem'>): Found {
  return { ok: false, broken: { name, from, ...about, problem: about.problem.slice(0, SKILL_PROBLEM_MAX_CHARS) } };
}

/** Anyone who writes to a repository could change the agent's behaviour, so a person must name the version that they read. */
function versionRefusal({ from, sha256 }: WantedSkill, present: string): string | null {
  if (sha256 === present) return null;
  const allow = `read it, then write sha256: ${present} in spec.skills`;
  if (sha256 !== null) return `it is not the version that the Agent allows: ${allow}`;
  return from === 'repository' ? `no person has allowed this version of the repository: ${allow}` : null;
}

type Front =
  | { readonly ok: true; readonly description: string; readonly instructions: string }
  | { readonly ok: false; readonly problem: string };

const badFront = (problem: string): Front => ({ ok: false, problem: `${SKILL_FILE}: ${problem}` });

async function frontOf(text: string, name: string): Promise<Front> {
  const parts = splitSkill(text);
  if (parts === null) return badFront(`begin it with ---, a few lines with name and description, and another line ---`);
  const fields = SkillFront.safeParse(await yamlOf(parts.front));
  if (!fields.success)
    return badFront(
      `write name and a description of at most ${SKILL_DESCRIPTION_MAX_CHARS} characters, as YAML, between the lines ---`,
    );
  if (fields.data.name !== name) return badFront(`its name is ${fields.data.name.slice(0, 64)}, write ${name}`);
  const instructions = parts.instructions.trim();
  if (instructions === '') return badFront('write instructions below the second line ---');
  return { ok: true, description: fields.data.description.replaceAll(/\s+/g, ' '), instructions };
}

/** The value of the front matter; undefined if it is not YAML. The parser is loaded only for an Agent with skills. */
async function yamlOf(text: string): Promise<unknown> {
  const { parse } = await import('yaml');
  try {
    return parse(text, { schema: 'core', maxAliasCount: 0, logLevel: 'silent' });
  } catch {
    return undefined;
  }
}
