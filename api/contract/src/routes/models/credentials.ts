import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { AgentId, Time } from '../../values/scalars.ts';
import {
  ApiKey,
  BaseUrl,
  CONNECTABLE_KINDS,
  ConnectedProvider,
  CredentialName,
  manageModels,
  MODEL_ABILITIES,
  ModelOffers,
  OwnerAgent,
  ProviderTest,
  ProviderUsers,
  TestedModels,
} from './providers.ts';

/** A stored credential, and the provider that it connects. The key itself is never returned. */
export const ModelCredential = z.strictObject({
  name: CredentialName,
  agent_id: OwnerAgent,
  key_id: z.string().nullable().describe('Key of the village that seals it; null for a provider without a key'),
  fingerprint: z
    .string()
    .nullable()
    .describe('First 12 digits of the SHA-256 of the key; null for a key of an earlier version, and without a key'),
  created_at: Time,
  created_by: z.string(),
  provider: ConnectedProvider.nullable().describe('Null for a key that the configuration names'),
  last_test: ProviderTest.nullable(),
  tested_models: TestedModels.describe('Findings of tests about its models; the gateway goes by them'),
  used_by: ProviderUsers,
});
export type ModelCredential = z.infer<typeof ModelCredential>;

/** A provider of the configuration. Only an operator changes it. */
const ConfiguredProvider = z.strictObject({
  name: z.string(),
  kind: z.string(),
  base_url: z.string().nullable().describe('Null for the scripted mind'),
  credential: z.string().nullable(),
  available: z.boolean().describe('True if it needs no key, or the village has the key'),
  used_by: ProviderUsers,
});

const KEYED_KINDS: readonly string[] = ['openai', 'openrouter', 'anthropic'];

/** True if a provider of the kind has an address of its own, and takes a key. */
export function isHostedKind(kind: string): boolean {
  return KEYED_KINDS.includes(kind);
}

export const PROVIDER_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

export const PROVIDER_NAME_FORM = 'write 1 to 63 lower-case letters, digits and hyphens, such as "local-vllm"';

const PutCredential = z
  .strictObject({
    name: CredentialName,
    agent_id: OwnerAgent.optional(),
    key: ApiKey.optional(),
    kind: z.enum(CONNECTABLE_KINDS).optional().describe('Connects a provider; without it, only a key is stored'),
    base_url: BaseUrl.optional().describe(
      'Address of the provider; OpenAI, OpenRouter and Anthropic have one of their own',
    ),
    models: ModelOffers.optional(),
    max_in_flight: z.int().min(1).max(10_000).optional().describe('Requests at one time'),
  })
  .refine(({ kind, key }) => kind !== undefined || key !== undefined, {
    path: ['key'],
    message: 'write the key, or the kind of the provider to connect',
  })
  .refine(({ kind, name }) => kind === undefined || PROVIDER_NAME.test(name), {
    path: ['name'],
    message: PROVIDER_NAME_FORM,
  })
  .refine(({ kind, key }) => kind === undefined || key !== undefined || !isHostedKind(kind), {
    path: ['key'],
    message: 'this provider needs a key: write it',
  })
  .refine(({ kind, base_url }) => kind === undefined || base_url !== undefined || isHostedKind(kind), {
    path: ['base_url'],
    message: 'write the address of the server, such as "http://vllm:8000/v1"',
  })
  .refine(({ kind, models }) => (kind === undefined) === (models === undefined), {
    path: ['models'],
    message: 'write the models of the provider together with its kind',
  })
  .refine(
    ({ kind, base_url, max_in_flight }) =>
      kind !== undefined || (base_url === undefined && max_in_flight === undefined),
    { path: ['kind'], message: 'write the kind of the provider too' },
  );

export type PutModelCredential = z.output<typeof PutCredential>;

export const putModelCredential = defineRoute('putModelCredential POST /models/credentials', {
  ...manageModels,
  summary:
    "Connect a provider of models, or store a provider's key, for the village or for one agent, in place of an earlier one; the key is sealed and never returned",
  idempotency: 'natural',
  body: PutCredential,
  answer: json(z.strictObject({ credential: ModelCredential })),
  reasons: ['credentials_off', 'too_many_credentials', 'no_such_agent', 'provider_configured', 'address_refused'],
});

export const listModelCredentials = defineRoute('listModelCredentials GET /models/credentials', {
  ...manageModels,
  summary: 'List the stored credentials and connected providers, and those of the configuration',
  answer: json(
    z.strictObject({
      enabled: z.boolean().describe('False if the village has no key to seal credentials with'),
      subscription: z.strictObject({
        enabled: z.boolean().describe('True if the operator allows a sign-in to a subscription'),
        notice: z.string().describe('An admin reads and accepts it before the sign-in'),
      }),
      credentials: z.array(ModelCredential),
      configured: z.array(ConfiguredProvider),
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

export const deleteModelCredential = defineRoute('deleteModelCredential DELETE /models/credentials/{name}', {
  ...manageModels,
  summary: 'Remove a stored credential, with the provider that it connects',
  idempotency: 'natural',
  params: z.strictObject({ name: CredentialName }),
  query: z.strictObject({ agent_id: AgentId.optional() }),
  answer: json(z.strictObject({ removed: z.boolean() })),
});

/** A provider that is tried before it is stored. */
const TriedConnection = z.strictObject({
  kind: z.enum(CONNECTABLE_KINDS),
  base_url: BaseUrl.optional(),
  key: ApiKey.optional(),
  model: z.string().min(1).max(200).describe("The provider's name of the model"),
});

const TestBody = z
  .strictObject({
    model: z.string().min(1).max(128).optional(),
    credential: CredentialName.optional().describe(
      'A connected provider; its first model answers, or the one of `model`',
    ),
    connection: TriedConnection.optional().describe('A provider that is tried without being stored'),
    agent_id: AgentId.nullish().describe("Tests with this agent's own key or provider, if it has one"),
  })
  .refine(
    ({ model, credential, connection }) =>
      connection === undefined ? model !== undefined || credential !== undefined : (model ?? credential) === undefined,
    'write model, credential or both, or connection alone',
  );

export type TestModel = z.output<typeof TestBody>;

const TestedAbility = z.strictObject({
  ability: z.enum(MODEL_ABILITIES),
  can: z.boolean().nullable().describe('Null if the test could not find out'),
  note: z.string().max(1_000).describe('The finding in a sentence; after a refusal with the words of the provider'),
});
export type TestedAbility = z.infer<typeof TestedAbility>;

export const testModel = defineRoute('testModel POST /models/test', {
  ...manageModels,
  summary:
    'Ask a model, a connected provider or one that is not stored yet for a few words, and find out by a small request each whether it streams, calls tools, writes JSON by a schema and makes vectors; no agent is charged',
  idempotency: 'natural',
  body: TestBody,
  answer: json(
    z.strictObject({
      ok: z.boolean(),
      provider: z.string(),
      scripted: z.boolean(),
      ms: z.int().min(0),
      text: z.string().max(1_000).nullable().describe('The first words of the answer'),
      code: z.string().nullable().describe('Class of the failure, such as auth, quota, rate, network'),
      message: z.string().max(1_000).nullable().describe('Message of the provider, without keys'),
      fix: z.string().nullable().describe('The next step of an admin after a failure'),
      tools: z.boolean().nullable().describe('The same as `can` of the ability `tools`'),
      abilities: z
        .array(TestedAbility)
        .max(MODEL_ABILITIES.length)
        .describe('Found by a small request each; empty if the model fails, and for the scripted mind'),
      cost: z
        .strictObject({ currency: z.string(), amount: z.string() })
        .nullable()
        .describe("The provider's price of this test by the price table; null if the table lacks the model"),
    }),
  ),
  reasons: ['model_not_served', 'no_such_agent', 'no_such_provider', 'address_refused', 'village_frozen'],
});

const CALLBACK_CHARS_MAX = 8_000;

export const startSubscription = defineRoute('startSubscription POST /models/subscription/start', {
  ...manageModels,
  summary:
    'Begin a sign-in to a subscription: the admin opens the address, and finishes with the address that the browser ends at',
  idempotency: 'natural',
  body: z.strictObject({
    name: z.string().regex(PROVIDER_NAME, PROVIDER_NAME_FORM),
    agent_id: OwnerAgent.optional(),
    notice_accepted: z.literal(true, 'read the notice of GET /models/credentials, and write true to accept it'),
  }),
  answer: json(
    z.strictObject({
      authorize_url: z.string(),
      redirect_uri: z.string().describe('The browser ends here, with code and state; the page need not exist'),
      expires_at: Time,
    }),
  ),
  reasons: ['subscription_off', 'credentials_off', 'no_such_agent', 'provider_configured'],
});

export const finishSubscription = defineRoute('finishSubscription POST /models/subscription/finish', {
  ...manageModels,
  summary: 'Finish a sign-in to a subscription: its tokens are sealed, renewed before they end, and never returned',
  idempotency: 'natural',
  body: z.strictObject({
    callback: z.url('write the whole address that the browser ended at').max(CALLBACK_CHARS_MAX),
    models: ModelOffers,
  }),
  answer: json(z.strictObject({ credential: ModelCredential })),
  reasons: ['subscription_off', 'credentials_off', 'too_many_credentials', 'sign_in_unknown', 'sign_in_refused'],
});
