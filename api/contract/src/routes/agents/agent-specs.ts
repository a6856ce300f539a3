import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { AGENT_NAME, MAX_AGENT_NAME_CHARS } from '../../kinds/agent.ts';
import { JsonObject, OnConflictQuery } from '../../values/scalars.ts';

const LABELS_MAX = 16;
const LABEL_KEY_MAX_CHARS = 317;
const LABEL_MAX_CHARS = 63;
const VERSION_MAX_CHARS = 128;

const NewAgentId = z
  .string()
  .max(MAX_AGENT_NAME_CHARS)
  .regex(AGENT_NAME, "write a name of lower case letters, digits and '-', a letter first, for example ada")
  .meta({ example: 'ada' });

/** Labels by which Schedules select agents. Prefixes of Kubernetes and of the village are reserved. */
const Labels = z
  .record(
    z
      .string()
      .max(LABEL_KEY_MAX_CHARS)
      .refine((key) => !/(^|[.])(kubernetes[.]io|k8s[.]io|hamlet[.]village)\//.test(key), {
        message: 'labels of Kubernetes and of the village are reserved: choose another name',
      }),
    z.string().max(LABEL_MAX_CHARS),
  )
  .refine((labels) => Object.keys(labels).length <= LABELS_MAX, { message: `write at most ${LABELS_MAX} labels` });

const Spec = JsonObject.describe(
  'Spec of the Agent with the fields of its CRD, without power and rebootedAt, which the routes of its life write',
);
const DryRun = z
  .boolean()
  .default(false)
  .describe('True to let the cluster check the write and change nothing; the answer shows the result');

export const SpecField = z.strictObject({
  path: z.string().describe('Path in the spec, for example model.name'),
  manager: z.string().describe('Field manager that wrote it, for example argocd-controller; hamlet-api is the API'),
  writable: z.boolean().describe('False if another manager owns it: change it there, or take it over'),
});
export type SpecField = z.infer<typeof SpecField>;

/** One line of what a deletion of the agent affects. */
export const GoesWith = z.strictObject({
  kind: z.enum(['volume', 'memory', 'tasks', 'conversations', 'money', 'schedules', 'owner']),
  fate: z
    .enum(['chosen', 'ends', 'stays'])
    .describe('chosen: as the deletion says for the volume. ends: it ends or is deleted. stays: it outlives the agent'),
  count: z.int().min(0),
  names: z.array(z.string()).max(20).describe('Names of the things, if they have names; at most 20'),
  line: z.string().describe('The same in a sentence for people'),
});
export type GoesWith = z.infer<typeof GoesWith>;

const written = {
  agent_id: z.string(),
  uid: z.string(),
  resource_version: z.string().describe('Version of the spec; every change of the spec gives another one'),
  labels: z.record(z.string(), z.string()),
  spec: Spec,
  fields: z.array(SpecField).describe('Fields that a manager owns; all others are free'),
} as const;

export const WrittenAgent = z.strictObject({ ...written, dry_run: z.boolean() });
export type WrittenAgent = z.infer<typeof WrittenAgent>;

export const AgentSpecView = z.strictObject({
  ...written,
  goes_with: z.array(GoesWith).describe('Effects of a deletion'),
});
export type AgentSpecView = z.infer<typeof AgentSpecView>;

const manage = { tag: 'agents', permission: 'agent:manage' } as const;

export const createAgent = defineRoute('createAgent POST /agents', {
  ...manage,
  summary: 'Create an Agent in the cluster',
  body: z.strictObject({ agent_id: NewAgentId, spec: Spec, labels: Labels.default({}), dry_run: DryRun }),
  status: 201,
  answer: json(WrittenAgent),
  reasons: ['agent_exists', 'invalid_agent', 'cluster_needed'],
});

export const getAgentSpec = defineRoute('getAgentSpec GET /agents/{agent_id}/spec', {
  ...manage,
  summary:
    'The spec of an agent as its custom resource has it, the owners of its fields, and the effects of a deletion',
  answer: json(AgentSpecView),
  reasons: ['no_such_agent', 'cluster_needed'],
});

export const updateAgent = defineRoute('updateAgent PATCH /agents/{agent_id}', {
  ...manage,
  summary: 'Change the spec of an agent by a JSON merge patch (RFC 7386); null removes a field, a list is replaced',
  query: OnConflictQuery,
  body: z.strictObject({ spec: Spec, resource_version: z.string().max(VERSION_MAX_CHARS), dry_run: DryRun }),
  answer: json(WrittenAgent),
  reasons: ['no_such_agent', 'agent_changed', 'invalid_agent', 'field_owned_elsewhere', 'cluster_needed'],
});

export const deleteAgent = defineRoute('deleteAgent DELETE /agents/{agent_id}', {
  ...manage,
  summary: 'Delete an agent: its pod ends and its account closes; its volume stays or goes as the request says',
  query: OnConflictQuery,
  body: z.strictObject({
    confirm: z.string().max(MAX_AGENT_NAME_CHARS).describe('The id of the agent again'),
    volume: z.enum(['keep', 'delete']).describe('keep: a new agent of the name gets workspace and memory'),
  }),
  answer: json(z.strictObject({ agent_id: z.string(), deleted: z.literal(true), goes_with: z.array(GoesWith) })),
  reasons: ['no_such_agent', 'not_confirmed', 'field_owned_elsewhere', 'invalid_agent', 'cluster_needed'],
});

/** A character to begin an agent with. */
export const Character = z.strictObject({
  id: z.string().meta({ example: 'researcher' }),
  name: z.string(),
  line: z.string().describe('One sentence about what the agent is good for'),
  spec: Spec,
  schedule: z
    .strictObject({ prompt: z.string(), daily_at: z.string() })
    .nullable()
    .describe('A suggestion for its first Schedule; createSchedule takes it with a name and the agent'),
});
export type Character = z.infer<typeof Character>;

export const listCharacters = defineRoute('listCharacters GET /characters', {
  ...manage,
  summary: 'Characters that the village brings along, to begin an agent with',
  answer: json(z.strictObject({ characters: z.array(Character) })),
});
