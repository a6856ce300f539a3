import { z } from 'zod';
import { AiDollars } from '../money.ts';
import { JsonObject, plainText, Time } from '../scalars.ts';

/** The files of a workflow, as the engine names them. */
export const MANIFEST_FILES = [
  'agents.yaml',
  'tools.yaml',
  'workflow.yaml',
  'pipelines.yaml',
  'memory.yaml',
  'plugins.yaml',
  'overrides.yaml',
] as const;
export const MANIFEST_MAX_CHARS = 262_144;
/** Limit of all files together: they are one ConfigMap. */
export const MANIFESTS_MAX_CHARS = 700_000;
export const MANIFESTS_BODY_MAX_BYTES = 4 << 20;
export const WORKFLOW_TAGS_MAX = 64;
export const WORKFLOW_OVERRIDES_MAX = 100;
/** All overrides of a task together, as JSON. */
const OVERRIDES_MAX_CHARS = 32_768;
/** Longest input of a task or a stage that people give, as JSON. */
export const WORKFLOW_INPUT_MAX_CHARS = 65_536;
/** Attempts and rounds of a stage. */
const TURNS_MAX = 10_000;

const ID = /^[a-z][a-z0-9_.-]{0,63}$/;
/** An id in the manifests of a workflow, as the engine defines it. */
export const WorkflowId = z.string().regex(ID, 'write an id of the manifests: a letter, then a-z, 0-9, _, . and -');

export const ManifestFiles = z
  .array(z.strictObject({ path: z.enum(MANIFEST_FILES), text: plainText(MANIFEST_MAX_CHARS, 0) }))
  .max(MANIFEST_FILES.length)
  .refine((files) => new Set(files.map(({ path }) => path)).size === files.length, 'write each file once')
  .refine(
    (files) => files.reduce((sum, { text }) => sum + text.length, 0) <= MANIFESTS_MAX_CHARS,
    `write at most ${MANIFESTS_MAX_CHARS} characters in all files together`,
  );
export type ManifestFiles = z.infer<typeof ManifestFiles>;

/** SHA-256 of the manifests of a run, in hexadecimal digits. */
export const ManifestsHash = z.string().regex(/^[0-9a-f]{64}$/);

/** A value as JSON text: it keeps all digits of its numbers. */
export const JsonText = plainText(WORKFLOW_INPUT_MAX_CHARS).refine((text) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}, 'write a JSON value; a text stands in quotes');

const choice = {
  pipeline: WorkflowId.optional().describe('A pipeline by its id; without it, mode, tags and scores choose one'),
  mode: plainText(64).optional(),
  tags: z.array(plainText(64)).max(WORKFLOW_TAGS_MAX).optional(),
};

/** A task for the workflow of an agent. */
export const WorkflowRequest = z.strictObject({
  ...choice,
  input_json: JsonText.optional().describe('Input of the task as JSON; the prompt, as a text, if absent'),
  overrides: z
    .array(JsonObject)
    .max(WORKFLOW_OVERRIDES_MAX)
    .refine(
      (overrides) => JSON.stringify(overrides).length <= OVERRIDES_MAX_CHARS,
      `write at most ${OVERRIDES_MAX_CHARS} characters in all overrides together`,
    )
    .optional()
    .describe('Overrides as in overrides.yaml; the agent refuses those that do not fit'),
});
export type WorkflowRequest = z.infer<typeof WorkflowRequest>;

/** The run and the stage that a run repeats from. `input_json`: absent if the stage gets its earlier input. */
export const WorkflowRerun = z.strictObject({ run_id: z.uuid(), stage: WorkflowId, input_json: JsonText.optional() });
export type WorkflowRerun = z.infer<typeof WorkflowRerun>;

/** A task that a run carries out instead of answering its prompt. */
export const RunWorkflow = z.strictObject({
  ...WorkflowRequest.shape,
  manifests: ManifestsHash.describe('The manifests as they were when the run was created'),
  rerun: WorkflowRerun.optional().describe('Only of a run that repeats a part of another one'),
});
export type RunWorkflow = z.infer<typeof RunWorkflow>;

/** The stage for which a worker works. */
export const WorkerStage = z.strictObject({
  stage: WorkflowId,
  round: z.int().min(1).max(TURNS_MAX),
  attempt: z.int().min(1).max(TURNS_MAX),
  agent: WorkflowId.describe('Its agent in agents.yaml'),
});
export type WorkerStage = z.infer<typeof WorkerStage>;

export const STAGE_STATUSES = ['running', 'completed', 'failed', 'repeated', 'skipped', 'stopped'] as const;

const Text = z.string().nullable();

/** A stage of a run, from what the agent recorded about it. A stage that repeats has its newest attempt. */
export const WorkflowStage = z.strictObject({
  stage: WorkflowId,
  role: z.string(),
  status: z.enum(STAGE_STATUSES).describe('`repeated`: this attempt failed, and the next one has not begun'),
  round: z.int().min(0),
  attempt: z.int().min(0),
  input: Text.describe('As JSON; null if it is too long or was deleted, or if the reader may not read it'),
  output: Text.describe('As JSON; null before the end, and like the input'),
  failure: z.strictObject({ category: z.string(), code: z.string(), message: z.string() }).nullable(),
  edges: z.array(z.string()).describe('Ids of the edges that the run followed from here'),
  worker_run_id: z.uuid().nullable().describe('Run of its agent; null for a stage without one'),
  tokens: z.int().min(0).describe('Tokens of all runs of its agent'),
  cost: AiDollars,
  started_at: Time.nullable().describe('Null for a skipped stage'),
  ended_at: Time.nullable(),
});
export type WorkflowStage = z.infer<typeof WorkflowStage>;
