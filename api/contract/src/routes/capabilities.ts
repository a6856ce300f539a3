import { z } from 'zod';
import { defineRoute, json } from '../http/route.ts';
import { CapabilitiesView, CapabilityReport } from '../capability/capability.ts';
import { AgentId, NEXT_CURSOR, paging } from '../values/scalars.ts';
import {
  FoundSkill,
  OfferedSkill,
  SKILL_RUNS_SHOWN,
  SkillFiles,
  SkillId,
  SKILLS_MAX,
  SkillSet,
  SkillView,
} from '../capability/skill.ts';
import { ofResident } from './resident.ts';

export const ResidentReport = CapabilityReport.extend({ skills: z.array(FoundSkill).max(SKILLS_MAX) });
export type ResidentReport = z.infer<typeof ResidentReport>;

export const reportCapabilities = defineRoute('reportCapabilities PUT /agents/{agent_id}/capabilities', {
  ...ofResident,
  idempotency: 'natural',
  summary: 'Report the state of all capabilities of an agent; replaces the previous report',
  body: ResidentReport,
  answer: json(
    z.strictObject({
      stored: z.boolean().describe('False if nothing changed, or if the cycle has reported in the last 10 s'),
    }),
  ),
});

export const readSkillFiles = defineRoute('readSkillFiles GET /agents/{agent_id}/skills/{skill}/files', {
  ...ofResident,
  summary: "Files of a skill in a ConfigMap of the village's namespace, for the resident",
  params: z.strictObject({ agent_id: AgentId, skill: SkillId }),
  answer: json(z.strictObject({ files: SkillFiles })),
  reasons: [...ofResident.reasons, 'no_such_skill', 'skill_unusable'],
});

export const getCapabilities = defineRoute('getCapabilities GET /agents/{agent_id}/capabilities', {
  summary: 'The capabilities of an agent, and whether each is available, as its resident last reported',
  tag: 'agents',
  permission: 'world:read',
  answer: json(CapabilitiesView),
  reasons: ['no_such_agent'],
});

export const listSkills = defineRoute('listSkills GET /agents/{agent_id}/skills', {
  summary: `Skills of an agent, and those of one run or of its newest ${SKILL_RUNS_SHOWN} runs with skills: which version a run had, when its model read it, and why`,
  tag: 'agents',
  permission: 'runs:read',
  query: z.strictObject({ run_id: z.uuid().optional() }),
  answer: json(z.strictObject({ skills: z.array(SkillView), runs: z.array(SkillSet) })),
  reasons: ['no_such_agent'],
});

export const listOfferedSkills = defineRoute('listOfferedSkills GET /skills', {
  summary:
    "Skills that an agent can have: those of the village's image on the first page, then ConfigMaps with the label of skills",
  tag: 'agents',
  permission: 'agent:manage',
  // A ConfigMap may have a megabyte, and the API reads a page of them.
  query: z.strictObject(paging({ max: 20, limit: 20, cursorChars: 2_048 })),
  answer: json(z.strictObject({ skills: z.array(OfferedSkill), ...NEXT_CURSOR })),
  reasons: ['cursor_invalid'],
});
