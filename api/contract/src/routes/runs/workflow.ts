import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { Run } from '../../values/run/run.ts';
import {
  JsonText,
  ManifestFiles,
  MANIFESTS_BODY_MAX_BYTES,
  ManifestsHash,
  WorkflowId,
  WorkflowStage,
} from '../../values/run/workflow.ts';
import { ObjectName } from '../../kinds/text.ts';
import { OnConflictQuery } from '../../values/scalars.ts';

export const getRunWorkflow = defineRoute('getRunWorkflow GET /runs/{run_id}/workflow', {
  tag: 'runs',
  permission: 'runs:read',
  summary: 'The workflow of a run: its manifests, its plan, and its stages as they are now',
  answer: json(
    z.strictObject({
      manifests: z.strictObject({ sha256: ManifestsHash, files: ManifestFiles }),
      pipeline: WorkflowId.nullable().describe('Null before the run has begun'),
      plan: z
        .string()
        .nullable()
        .describe(
          'The plan as the engine made it, as JSON; null before the run has begun, if it is too long, or if the reader may not read it',
        ),
      stages: z.array(WorkflowStage).describe('In the order in which they began; those to come are missing'),
    }),
  ),
  reasons: ['no_such_run', 'no_workflow'],
});

export const rerunRun = defineRoute('rerunRun POST /runs/{run_id}/rerun', {
  tag: 'runs',
  permission: 'run:create',
  summary:
    'Repeat an ended run with a workflow from one of its stages, perhaps with another input, as a new run; what the run did before that stage is taken over',
  body: z.strictObject({
    stage: WorkflowId.optional().describe('By default the first stage that failed or was stopped'),
    input_json: JsonText.optional().describe('Input of the stage as JSON; its earlier one if absent'),
    manifests: z.enum(['same', 'current']).default('same').describe('Those of the run, or those of its agent now'),
  }),
  status: 201,
  answer: json(z.strictObject({ run: Run })),
  reasons: [
    'no_such_run',
    'no_workflow',
    'no_such_stage',
    'run_under_way',
    'no_such_agent',
    'agent_barred',
    'run_queue_full',
    'allowance_exceeded',
    'account_closed',
    'village_frozen',
    'no_manifests',
    'manifests_unusable',
  ],
});

/** Manifests of an agent, as its ConfigMap has them. `version`: changes with each change of the ConfigMap. */
export const AgentManifests = z.strictObject({
  config_map_name: ObjectName.nullable().describe('Null for an agent without manifests'),
  version: z.string().nullable(),
  files: ManifestFiles,
  problem: z.string().nullable().describe('Why the ConfigMap cannot be used, and the fix'),
});
export type AgentManifests = z.infer<typeof AgentManifests>;

export const getAgentManifests = defineRoute('getAgentManifests GET /agents/{agent_id}/manifests', {
  tag: 'agents',
  permission: 'runs:read',
  summary: 'Manifests of the workflow of an agent',
  answer: json(AgentManifests),
  reasons: ['no_such_agent'],
});

export const putAgentManifests = defineRoute('putAgentManifests PUT /agents/{agent_id}/manifests', {
  tag: 'agents',
  permission: 'agent:lifecycle',
  summary:
    'Replace the manifests of an agent. Without any, the API makes the ConfigMap AGENT-manifests and names it in spec.manifests',
  bodyMaxBytes: MANIFESTS_BODY_MAX_BYTES,
  query: OnConflictQuery,
  body: z.strictObject({
    files: ManifestFiles,
    version: z.string().max(256).nullable().describe('The version that was read; null if there was none'),
  }),
  answer: json(AgentManifests),
  reasons: ['no_such_agent', 'manifests_changed', 'manifests_unusable', 'field_owned_elsewhere', 'cluster_needed'],
});
