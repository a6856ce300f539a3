import { z } from 'zod';
import { defineRoute, json } from '../http/route.ts';
import { plainText, Time } from '../values/scalars.ts';
import { PERSONALITY_MAX_CHARS, PERSONALITY_REASON_MAX_CHARS } from '../tools/village-tools.ts';

/** Maximum number of versions in a day, so that an agent's character stays stable. */
export const PERSONALITY_VERSIONS_A_DAY = 24;
/** Maximum number of versions in the answer, newest first. */
export const PERSONALITY_VERSIONS_SHOWN = 100;

export const PersonalityVersion = z.strictObject({
  version: z.int().min(1),
  text: z.string().describe('The layer on top of the personality of the spec; empty if there is none'),
  reason: z.string(),
  restores: z.int().min(0).nullable().describe('Version that an undo restored; 0 is the spec alone'),
  by: z.strictObject({ role: z.string(), id: z.string() }),
  at: Time,
});
export type PersonalityVersion = z.infer<typeof PersonalityVersion>;

const Answer = json(z.strictObject({ current: PersonalityVersion }));
const ofAgent = { tag: 'agents' } as const;
const Reason = plainText(PERSONALITY_REASON_MAX_CHARS);

export const listPersonality = defineRoute('listPersonality GET /agents/{agent_id}/personality', {
  ...ofAgent,
  summary: 'The layer that the agent adds to its personality: present text and history, newest first',
  permission: 'turns:read',
  answer: json(
    z.strictObject({
      current: PersonalityVersion.nullable(),
      history: z.array(PersonalityVersion).max(PERSONALITY_VERSIONS_SHOWN),
    }),
  ),
  reasons: ['no_such_agent'],
});

export const amendPersonality = defineRoute('amendPersonality POST /agents/{agent_id}/personality', {
  ...ofAgent,
  summary: 'Replace the layer that the agent adds to its personality; an agent may replace only its own',
  permission: 'agent:steer',
  judged: true,
  body: z.strictObject({ text: plainText(PERSONALITY_MAX_CHARS, 0), reason: Reason }),
  status: 201,
  answer: Answer,
  reasons: ['not_own_agent', 'no_such_agent', 'stale_cycle', 'personality_limited'],
});

export const undoPersonality = defineRoute('undoPersonality POST /agents/{agent_id}/personality/undo', {
  ...ofAgent,
  summary: 'Restore an earlier version of the layer; 0 removes it. The history stays',
  permission: 'agent:lifecycle',
  body: z.strictObject({ version: z.int().min(0), reason: Reason }),
  status: 201,
  answer: Answer,
  reasons: ['no_such_agent', 'no_such_version'],
});
