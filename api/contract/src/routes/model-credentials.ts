import { z } from 'zod';
import { defineRoute, json } from '../http/route.ts';
import { AgentId, Time } from '../values/scalars.ts';

const CredentialName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'write the name of a credential, such as "openai-key"')
  .meta({ description: 'Name by which the configuration of the models names the key', example: 'openai-key' });

const Agent = AgentId.nullable().describe("The agent whose own key it is; null: the village's");

/** A stored credential. The key itself is never returned. */
export const ModelCredential = z.strictObject({
  name: CredentialName,
  agent_id: Agent,
  key_id: z.string().describe('Key of the village that seals it'),
  created_at: Time,
  created_by: z.string(),
});
export type ModelCredential = z.infer<typeof ModelCredential>;

const manage = { tag: 'models', audiences: ['people'], permission: 'models:manage' } as const;

export const putModelCredential = defineRoute('POST /models/credentials', {
  ...manage,
  name: 'putModelCredential',
  summary:
    "Store a provider's key for the village or for one agent, in place of an earlier one; it is sealed and never returned",
  idempotency: 'natural',
  body: z.strictObject({
    name: CredentialName,
    agent_id: Agent.optional(),
    key: z
      .string()
      .min(8)
      .max(8_000)
      .regex(/^[\x21-\x7e]+$/, 'write the key alone: printable characters without spaces'),
  }),
  answer: json(z.strictObject({ credential: ModelCredential })),
  reasons: ['credentials_off', 'too_many_credentials', 'no_such_agent'],
});

export const listModelCredentials = defineRoute('GET /models/credentials', {
  ...manage,
  name: 'listModelCredentials',
  summary: 'List the stored credentials, and those that the configuration of the models names',
  answer: json(
    z.strictObject({
      enabled: z.boolean().describe('False if the village has no key to seal credentials with'),
      credentials: z.array(ModelCredential),
      needed: z.array(
        z.strictObject({
          name: z.string(),
          providers: z.array(z.string()),
          available: z.boolean().describe('True if the village has the key, stored or in its Secret'),
        }),
      ),
    }),
  ),
});

export const deleteModelCredential = defineRoute('DELETE /models/credentials/{name}', {
  ...manage,
  name: 'deleteModelCredential',
  summary: 'Remove a stored credential',
  idempotency: 'natural',
  params: z.strictObject({ name: CredentialName }),
  query: z.strictObject({ agent_id: AgentId.optional() }),
  answer: json(z.strictObject({ removed: z.boolean() })),
});

export const testModel = defineRoute('POST /models/test', {
  ...manage,
  name: 'testModel',
  summary: "Ask a model for a few words with the village's key or an agent's; no agent is charged",
  idempotency: 'natural',
  body: z.strictObject({
    model: z.string().min(1).max(128),
    agent_id: AgentId.nullish().describe("Tests with this agent's own key, if it has one"),
  }),
  answer: json(
    z.strictObject({
      ok: z.boolean(),
      provider: z.string(),
      scripted: z.boolean(),
      ms: z.int().min(0),
      text: z.string().max(1_000).nullable().describe('The first words of the answer'),
      code: z.string().nullable().describe('Class of the failure, such as auth, quota, rate, network'),
      message: z.string().max(1_000).nullable().describe('Message of the provider, without keys'),
    }),
  ),
  reasons: ['model_not_served', 'no_such_agent', 'village_frozen'],
});
