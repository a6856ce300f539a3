import { z } from 'zod';
import { SKILLS_MAX } from '../kinds/skills.ts';
import { Time } from '../values/scalars.ts';

export { SKILLS_MAX };
export const SKILL_FILE = 'SKILL.md';
export const SKILL_FILES_MAX = 32;
export const SKILL_FILE_MAX_CHARS = 64 << 10;
export const SKILL_FOLDER_MAX_CHARS = 256 << 10;
export const SKILL_PATH_MAX_CHARS = 200;
export const SKILL_DESCRIPTION_MAX_CHARS = 1_024;
export const SKILL_PROBLEM_MAX_CHARS = 400;
export const SKILL_WHY_MAX_CHARS = 300;
/** Number of runs whose skills a list shows. */
export const SKILL_RUNS_SHOWN = 20;

/** Maximum length of the front matter; a description may use a quarter of it. */
const FRONT_MAX_CHARS = 4 * SKILL_DESCRIPTION_MAX_CHARS;
/**
 * Brackets and explicit keys: a YAML parser takes minutes for a thousand nested ones, and skills come from strangers.
 */
const FRONT_NESTING = /[[{?]/g;
const FRONT_NESTING_MAX = 64;

const FRONT = /^---\r?\n(.*?)\r?\n---(?:\r?\n|$)(.*)$/s;

/** The YAML between the two lines --- of a skill, and the text below; null if it has none, or one too long or too nested for a parser. Pure. */
export function splitSkill(text: string): { readonly front: string; readonly instructions: string } | null {
  const [, front, instructions = ''] = FRONT.exec(text) ?? [];
  if (front === undefined || front.length > FRONT_MAX_CHARS) return null;
  return (front.match(FRONT_NESTING)?.length ?? 0) > FRONT_NESTING_MAX ? null : { front, instructions };
}

/** The fields that the public format of skills requires. Others, such as a license, are ignored. */
export const SkillFront = z.looseObject({
  name: z.string(),
  description: z.string().trim().min(1).max(SKILL_DESCRIPTION_MAX_CHARS),
});

export const SkillId = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'write the name of a skill, for example write-a-patch');
export const SkillFrom = z.enum(['image', 'config_map', 'repository']);
export type SkillFrom = z.infer<typeof SkillFrom>;
export const SkillHash = z.string().regex(/^[0-9a-f]{64}$/, 'write the SHA-256 of a skill: 64 digits');

/** A path in the folder of a skill: no empty, hidden or upward part. */
export const SkillPath = z
  .string()
  .min(1)
  .max(SKILL_PATH_MAX_CHARS)
  .regex(/^[A-Za-z0-9_-][\w.-]*(\/[A-Za-z0-9_-][\w.-]*)*$/, 'write a path below the folder of the skill');

export const SkillFiles = z
  .array(z.strictObject({ path: SkillPath, text: z.string().max(SKILL_FILE_MAX_CHARS) }))
  .max(SKILL_FILES_MAX);
export type SkillFiles = z.infer<typeof SkillFiles>;

export const FoundSkill = z.strictObject({
  name: SkillId,
  from: SkillFrom,
  state: z.enum(['ready', 'broken']),
  description: z.string().max(SKILL_DESCRIPTION_MAX_CHARS).nullable().describe('Null for a broken skill'),
  sha256: SkillHash.nullable().describe('Hash of all its files; null if there are none'),
  files: z.array(SkillPath).max(SKILL_FILES_MAX),
  problem: z.string().max(SKILL_PROBLEM_MAX_CHARS).nullable().describe('Why it is broken, and the fix'),
});
export type FoundSkill = z.infer<typeof FoundSkill>;

export const SkillView = FoundSkill.extend({
  state: z.enum(['ready', 'broken', 'unknown']).describe('`unknown`: the resident has not checked it yet'),
  config_map_name: z.string().nullable(),
  pinned_sha256: SkillHash.nullable().describe('The only version that the Agent allows; null allows any'),
  found_at: Time.nullable(),
});
export type SkillView = z.infer<typeof SkillView>;

/** A skill that an admin may attach to an agent. */
export const OfferedSkill = z.strictObject({
  name: z.string().describe('Its name; for a broken skill, that of its ConfigMap'),
  from: z.enum(['image', 'config_map']),
  config_map_name: z.string().nullable(),
  description: z.string().max(SKILL_DESCRIPTION_MAX_CHARS).nullable().describe('Null for a broken skill'),
  problem: z.string().max(SKILL_PROBLEM_MAX_CHARS).nullable().describe('Why agents cannot use it, and the fix'),
});
export type OfferedSkill = z.infer<typeof OfferedSkill>;

/** A skill of a run. The first attempt of the run fixes its version. */
export const RunSkill = z.strictObject({ name: SkillId, from: SkillFrom, sha256: SkillHash });
export type RunSkill = z.infer<typeof RunSkill>;

export const SkillUse = RunSkill.extend({
  loaded_at: Time.nullable().describe('Time at which the model first loaded it; null if it never did'),
  call_id: z.string().nullable(),
  why: z.string().nullable().describe("The model's reason; also null if the reader may not see the texts of the run"),
});
export type SkillUse = z.infer<typeof SkillUse>;

/** The skills of one run, as its first attempt fixed them. */
export const SkillSet = z.strictObject({
  run_id: z.uuid(),
  sha256: SkillHash.describe('Hash of the names and versions: equal sets have equal hashes'),
  pinned_at: Time,
  skills: z.array(SkillUse),
});
export type SkillSet = z.infer<typeof SkillSet>;
