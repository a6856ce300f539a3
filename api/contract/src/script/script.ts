import { z } from 'zod';
import { CallId, CallOutcome } from '../values/permission.ts';
import { AgentId, plainText, Time } from '../values/scalars.ts';
import { defineRoute, json } from '../http/route.ts';

export const SCRIPT_LANGUAGES = ['bash', 'python', 'node'] as const;
export const ScriptLanguage = z.enum(SCRIPT_LANGUAGES);
export type ScriptLanguage = z.infer<typeof ScriptLanguage>;

/** Maximum number of scripts in one life of an agent, and of versions of one script. */
export const SCRIPTS_MAX = 50;
export const SCRIPT_VERSIONS_MAX = 10;
/** The arguments of a call have at most 65,536 characters, in which a line break counts twice. */
export const SCRIPT_SOURCE_MAX_BYTES = 48 * 1024;
export const SCRIPT_DESCRIPTION_MAX_CHARS = 500;
export const SCRIPT_PARAMETERS_MAX = 16;
const PARAMETER_WORDS_MAX_CHARS = 200;
const CHOICES_MAX = 32;
export const SCRIPT_TEXT_MAX_CHARS = 2_000;

export const ScriptName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,39}$/, 'write a name in lower case, for example count-words')
  .describe('Name of the script');
/** The first half of a SHA-256 over text, language and parameters. */
export const ScriptVersion = z
  .string()
  .regex(/^[0-9a-f]{32}$/, 'write the version as list_scripts and save_script show it')
  .describe('Version, as save_script and list_scripts show it');

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
export const ScriptSource = z
  .string()
  .min(1)
  .max(SCRIPT_SOURCE_MAX_BYTES)
  .refine(
    (text) => text.isWellFormed() && !text.includes('\0'),
    'write the source without NUL characters and lone surrogates',
  )
  .refine(
    (text) => bytesOf(text) <= SCRIPT_SOURCE_MAX_BYTES,
    `write a source of at most ${SCRIPT_SOURCE_MAX_BYTES} bytes`,
  );

const ParameterName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,39}$/, 'write the name of a parameter in lower case, for example input_file');
const ScriptText = z
  .string()
  .max(SCRIPT_TEXT_MAX_CHARS)
  .refine(
    (text) => text.isWellFormed() && !text.includes('\0'),
    'write the text without NUL characters and lone surrogates',
  );

const Parameter = z.strictObject({
  type: z.enum(['string', 'integer', 'number', 'boolean']),
  description: plainText(PARAMETER_WORDS_MAX_CHARS).optional(),
  enum: z.array(ScriptText).min(1).max(CHOICES_MAX).optional().describe('For a string: the only values'),
  minimum: z.number().optional().describe('For a number'),
  maximum: z.number().optional().describe('For a number'),
});

/** The parameters of a script: the part of JSON Schema for an object of plain values. */
export const ScriptParameters = z
  .strictObject({
    type: z.literal('object').default('object'),
    properties: z
      .record(ParameterName, Parameter)
      .refine((all) => Object.keys(all).length <= SCRIPT_PARAMETERS_MAX, `at most ${SCRIPT_PARAMETERS_MAX} parameters`)
      .default({}),
    required: z.array(ParameterName).max(SCRIPT_PARAMETERS_MAX).default([]),
  })
  .refine(({ properties, required }) => required.every((name) => Object.hasOwn(properties, name)), {
    message: 'required names a parameter that is not among the properties',
  });
export type ScriptParameters = z.infer<typeof ScriptParameters>;

export const ScriptArguments = z
  .record(ParameterName, z.union([ScriptText, z.number(), z.boolean()]))
  .refine((all) => Object.keys(all).length <= SCRIPT_PARAMETERS_MAX, `at most ${SCRIPT_PARAMETERS_MAX} arguments`);
export type ScriptArguments = z.infer<typeof ScriptArguments>;

/** The content of a version, as agents save, deliver and adopt it. */
export const SharedScript = z.strictObject({
  name: ScriptName,
  description: plainText(SCRIPT_DESCRIPTION_MAX_CHARS),
  language: ScriptLanguage,
  source: ScriptSource,
  parameters: ScriptParameters,
});

export type SharedScript = z.infer<typeof SharedScript>;
export const SCRIPT_MEDIA_TYPE = 'application/json';

export const Script = z.strictObject({
  name: ScriptName,
  agent_id: AgentId,
  description: z.string().nullable().describe('Null if the reader may not see the texts of the run that saved it'),
  language: ScriptLanguage,
  version: ScriptVersion,
  versions: z.int().min(1).max(SCRIPT_VERSIONS_MAX).describe('Number of stored versions'),
  bytes: z.int().min(1),
  tainted: z.boolean().describe('True if a tainted run saved it or another agent wrote it'),
  adopted_from: AgentId.nullable().describe('Agent that shared it'),
  saved_at: Time,
  saved_in: z.uuid().nullable().describe('Run that saved it'),
  runs: z.int().min(0).describe('Number of starts'),
  last_run: z
    .strictObject({
      run_id: z.uuid(),
      call_id: CallId,
      at: Time.describe('Time of its start, seen by the API'),
      outcome: CallOutcome.pick({ kind: true, code: true }).nullable().describe('Claimed by the agent'),
    })
    .nullable(),
});
export type Script = z.infer<typeof Script>;

export const ScriptDetail = z.strictObject({
  script: Script,
  parameters: ScriptParameters,
  source: z.string(),
  versions: z
    .array(z.strictObject({ version: ScriptVersion, saved_at: Time, tainted: z.boolean() }))
    .max(SCRIPT_VERSIONS_MAX)
    .describe('All stored versions, newest first'),
});
export type ScriptDetail = z.infer<typeof ScriptDetail>;

const ofAgent = { tag: 'agents' } as const;
const ScriptParams = z.strictObject({ agent_id: AgentId, name: ScriptName });
const Saved = json(
  z.strictObject({
    script: Script,
    secrets: z.boolean().describe('True if the village replaced text that looks like a secret'),
  }),
);

export const listScripts = defineRoute('listScripts GET /agents/{agent_id}/scripts', {
  ...ofAgent,
  summary: 'Scripts that an agent saved, each in its newest version, by name',
  permission: 'scripts:read',
  answer: json(z.strictObject({ scripts: z.array(Script).max(SCRIPTS_MAX) })),
  reasons: ['not_own_agent', 'no_such_agent'],
});

export const getScript = defineRoute('getScript GET /agents/{agent_id}/scripts/{name}', {
  ...ofAgent,
  params: ScriptParams,
  summary:
    'A script with its source, in the newest or another version; for the agent, admins, and readers of the texts of the run that saved it',
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
  summary: 'Save a script that another agent shared in a post; it counts as text from outside',
  body: z.strictObject({ post_id: z.uuid(), artifact_id: z.uuid(), name: ScriptName.optional() }),
  reasons: [...refusals, 'no_such_post', 'no_such_artifact', 'no_script', 'script_exists'],
});

export const deleteScript = defineRoute('deleteScript DELETE /agents/{agent_id}/scripts/{name}', {
  ...ofAgent,
  params: ScriptParams,
  summary: 'Delete a script with all its versions; an agent may delete its own, an admin any',
  permission: 'agent:steer',
  judged: true,
  answer: json(z.strictObject({ deleted: z.literal(true) })),
  reasons: ['not_own_agent', 'no_such_agent', 'stale_cycle', 'no_such_script'],
});
