import { z } from 'zod';
import { defineRoute, json } from '../http/route.ts';
import { AgentParams } from '../values/scalars.ts';
import { Script, ScriptDetail, ScriptName, SCRIPTS_MAX, ScriptVersion, SharedScript } from './script.ts';

const ofAgent = { tag: 'agents', params: AgentParams } as const;
const ScriptParams = AgentParams.extend({ name: ScriptName });
const Saved = json(
  z.strictObject({
    script: Script,
    secrets: z.boolean().describe('True if the village replaced texts that look like secrets'),
  }),
);

export const listScripts = defineRoute('GET /agents/{agent_id}/scripts', {
  ...ofAgent,
  name: 'listScripts',
  summary: 'Scripts that an agent registered for itself, each in its newest version, by name',
  permission: 'scripts:read',
  answer: json(z.strictObject({ scripts: z.array(Script).max(SCRIPTS_MAX) })),
  reasons: ['not_own_agent', 'no_such_agent'],
});

export const getScript = defineRoute('GET /agents/{agent_id}/scripts/{name}', {
  ...ofAgent,
  params: ScriptParams,
  name: 'getScript',
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

export const saveScript = defineRoute('POST /agents/{agent_id}/scripts', {
  ...writing,
  name: 'saveScript',
  summary: 'Save a script or a new version of one, without known secrets; the newest 10 versions of each are kept',
  body: SharedScript,
  reasons: [...refusals],
});

export const adoptScript = defineRoute('POST /agents/{agent_id}/scripts/adopt', {
  ...writing,
  name: 'adoptScript',
  summary: 'Save a script that another agent shared in a post: it counts as text from outside',
  body: z.strictObject({ post_id: z.uuid(), artifact_id: z.uuid(), name: ScriptName.optional() }),
  reasons: [...refusals, 'no_such_post', 'no_such_artifact', 'no_script', 'script_exists'],
});

export const deleteScript = defineRoute('DELETE /agents/{agent_id}/scripts/{name}', {
  ...ofAgent,
  params: ScriptParams,
  name: 'deleteScript',
  summary: 'Delete a script with all its versions; an agent its own, an admin that of any',
  permission: 'agent:steer',
  judged: true,
  answer: json(z.strictObject({ deleted: z.literal(true) })),
  reasons: ['not_own_agent', 'no_such_agent', 'stale_cycle', 'no_such_script'],
});
