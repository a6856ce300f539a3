import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { CallId } from '../../values/permission.ts';
import { plainText } from '../../values/scalars.ts';
import { RunSkill, SKILL_WHY_MAX_CHARS, SkillHash, SkillId, SKILLS_MAX } from '../../capability/skill.ts';
import { working } from './runs.ts';

const Claim = {
  cycle: z.int().min(0).describe('Run cycle of the agent'),
  attempt: z.int().min(1).describe('Attempt that the start of the run returned'),
};

export const pinSkills = defineRoute('pinSkills PUT /runs/{run_id}/skills', {
  ...working,
  summary: 'Fix the skills of a run with their versions; the first request counts for all attempts of the run',
  body: z.strictObject({ ...Claim, skills: z.array(RunSkill).max(SKILLS_MAX) }),
  answer: json(z.strictObject({ skills: z.array(RunSkill) })),
});

export const loadSkill = defineRoute('loadSkill POST /runs/{run_id}/skills/{skill}/load', {
  ...working,
  summary: 'Note that the model of a run asks for a skill, and why; the answer names the version that the run has',
  params: z.strictObject({ run_id: z.uuid(), skill: SkillId }),
  body: z.strictObject({ ...Claim, call_id: CallId, why: plainText(SKILL_WHY_MAX_CHARS, 0) }),
  answer: json(z.strictObject({ sha256: SkillHash })),
  reasons: [...working.reasons, 'no_such_skill'],
});
