import { z } from 'zod';
import { defineRoute, json } from '../http/route.ts';
import { AgentId } from '../values/scalars.ts';
import { Script, ScriptDetail, ScriptName, SCRIPTS_MAX, ScriptVersion, SharedScript } from './script.ts';

const ofAgent = { tag: 'agents' } as const;
const ScriptParams = z.strictObject({ agent_id: AgentId, name: ScriptName });
const Saved = json(
  z.strictObject({
    script: Script,
    secrets: z.boolean().describe('True if the village replaced texts that look like secrets'),
  }),
);

export const listScripts = defineRoute('listScripts GET /agents/{agent_id}/scripts', {
  ...ofAgent,
  summary: 'Scripts that an agent registered for itself, each in its newest version, by name',
  permission: 'scripts:read',
  answer: json(z.strictObject({ scripts: z.array(Script).max(SCRIPTS_MAX) })),
  reasons: ['not_own_agent', 'no_such_agent'],
});

export const getScript = defineRoute('getScript GET /agents/{agent_id}/scripts/{name}', {
  ...ofAgent,
  params: ScriptParams,
  summary:
    'A script with its source, in its newest or another version: for the agent, for admins, and for those who may read the texts of the run that saved it',
  permission: 'scripts:read',
  query: z.strictObject({ version: ScriptVersion.optional() }),
  answer: json(ScriptDetail),
  reasons: ['not_own_agent', 'no_such_agent', 'no_such_script'],
});

const writing = {
  ...ofAgent,
  permission: 'agent:self',
  judged: true,
  status: 201,
  answer: Saved,
} as const;
const refusals = ['not_own_agent', 'no_such_agent', 'stale_cycle', 'too_many_scripts'] as const;

export const saveScript = defineRoute('saveScript POST /agents/{agent_id}/scripts', {
  ...writing,
  summary: 'Save a script or a new version of one, without known secrets; the newest 10 versions of each are kept',
  body: SharedScript,
  reasons: [...refusals],
});

export const adoptScript = defineRoute('adoptScript POST /agents/{agent_id}/scripts/adopt', {
  ...writing,
  summary: 'Save a script that another agent shared in a post: it counts as text from outside',
  body: z.strictObject({ post_id: z.uuid(), artifact_id: z.uuid(), name: ScriptName.optional() }),
  reasons: [...refusals, 'no_such_post', 'no_such_artifact', 'no_script', 'script_exists'],
});

export const deleteScript = defineRoute('deleteScript DELETE /agents/{agent_id}/scripts/{name}', {
  ...ofAgent,
  params: ScriptParams,
  summary: 'Delete a script with all its versions; an agent its own, an admin that of any',
  permission: 'agent:steer',
  judged: true,
  answer: json(z.strictObject({ deleted: z.literal(true) })),
  reasons: ['not_own_agent', 'no_such_agent', 'stale_cycle', 'no_such_script'],
});
