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
  OpenedThoughts,
  OwnerAgent,
  ProviderTest,
  ProviderUsers,
  TestedModels,
} from './providers.ts';

/** A stored credential, and its provider. The API never returns the key itself. */
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
  provider: ConnectedProvider.nullable().describe('Null for a key from the configuration'),
  last_test: ProviderTest.nullable(),
  tested_models: TestedModels.describe('Results of tests about its models; the gateway relies on them'),
  used_by: ProviderUsers,
});
export type ModelCredential = z.infer<typeof ModelCredential>;

/** A provider from the configuration, which only an operator changes. */
const ConfiguredProvider = z.strictObject({
  name: z.string(),
  kind: z.string(),
  base_url: z.string().nullable().describe('Null for the scripted mind'),
  credential: z.string().nullable(),
  available: z.boolean().describe('True if it needs no key, or the village has the key'),
  last_test: ProviderTest.nullable().describe(
    'The newest test of one of its models, which the API makes once it answers; null before',
  ),
  tested_models: TestedModels.describe('Results of tests about its models; the gateway relies on the configuration'),
  used_by: ProviderUsers,
});

const KEYED_KINDS: readonly string[] = ['openai', 'openrouter', 'anthropic'];

/** True if providers of this kind have a fixed address and take a key. */
export const isHostedKind = (kind: string): boolean => KEYED_KINDS.includes(kind);

interface Addressed {
  readonly kind?: string | undefined;
  readonly base_url?: string | undefined;
}

const hasAddress = ({ kind, base_url }: Addressed): boolean =>
  kind === undefined || base_url !== undefined || isHostedKind(kind);
const NO_ADDRESS = { path: ['base_url'], message: 'write the address of the server, such as "http://vllm:8000/v1"' };

export const PROVIDER_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

export const PROVIDER_NAME_FORM = 'write 1 to 63 lower-case letters, digits and hyphens, such as "local-vllm"';

const PutCredential = z
  .strictObject({
    name: CredentialName,
    agent_id: OwnerAgent.optional(),
    key: ApiKey.optional(),
    kind: z.enum(CONNECTABLE_KINDS).optional().describe('Connects a provider; without it, only a key is stored'),
    base_url: BaseUrl.optional().describe('Address of the provider; not needed for OpenAI, OpenRouter and Anthropic'),
    models: ModelOffers.optional(),
    max_in_flight: z.int().min(1).max(10_000).optional().describe('Maximum number of parallel requests'),
    accept_failed_test: z
      .literal(true)
      .optional()
      .describe('Connects a provider although its newest test failed within 24 hours'),
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
  .refine(hasAddress, NO_ADDRESS)
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
    'Connect a provider of models or store its key, for the village or for one agent; replaces an earlier one. The API seals the key and never returns it',
  idempotency: 'natural',
  body: PutCredential,
  answer: json(z.strictObject({ credential: ModelCredential })),
  reasons: [
    'credentials_off',
    'too_many_credentials',
    'no_such_agent',
    'provider_configured',
    'provider_test_failed',
    'address_refused',
  ],
});

export const listModelCredentials = defineRoute('listModelCredentials GET /models/credentials', {
  ...manageModels,
  summary: 'List the stored credentials and providers, and those of the configuration',
  answer: json(
    z.strictObject({
      enabled: z.boolean().describe('False if the village has no key to seal credentials with'),
      subscription: z.strictObject({
        enabled: z.boolean().describe('True if the operator allows a sign-in to a subscription'),
        notice: z.string().describe('Notice that an admin must accept before the sign-in'),
      }),
      credentials: z.array(ModelCredential),
      configured: z.array(ConfiguredProvider),
      needed: z.array(
        z.strictObject({
          name: z.string(),
          providers: z.array(z.string()),
          available: z.boolean().describe('True if the village has the key, in its database or its Secret'),
        }),
      ),
    }),
  ),
});

export const deleteModelCredential = defineRoute('deleteModelCredential DELETE /models/credentials/{name}', {
  ...manageModels,
  summary: 'Remove a stored credential and its provider',
  idempotency: 'natural',
  params: z.strictObject({ name: CredentialName }),
  query: z.strictObject({ agent_id: AgentId.optional() }),
  answer: json(z.strictObject({ removed: z.boolean() })),
});

/** A provider to test before storing it. */
const TriedConnection = z.strictObject({
  kind: z.enum(CONNECTABLE_KINDS),
  base_url: BaseUrl.optional(),
  key: ApiKey.optional(),
  model: z.string().min(1).max(200).describe("The provider's name of the model"),
  thoughts: OpenedThoughts.optional(),
});

export const OFFERED_MODELS_MAX = 500;

export const OfferedModels = z.strictObject({
  models: z.array(z.string().max(200)).max(OFFERED_MODELS_MAX).describe("The provider's names of its models, sorted"),
  problem: z.string().nullable().describe('Why there is no list, with the next step; null with a list'),
});
export type OfferedModels = z.infer<typeof OfferedModels>;

export const listOfferedModels = defineRoute('listOfferedModels POST /models/offered', {
  ...manageModels,
  summary: 'Ask a provider that is not connected for the names of its models',
  idempotency: 'natural',
  body: TriedConnection.omit({ model: true, thoughts: true }).refine(hasAddress, NO_ADDRESS),
  answer: json(OfferedModels),
  reasons: ['address_refused'],
});

const TestBody = z
  .strictObject({
    model: z.string().min(1).max(128).optional(),
    credential: CredentialName.optional().describe(
      'A connected provider, to test with `model` or else with its first model',
    ),
    connection: TriedConnection.refine(hasAddress, NO_ADDRESS)
      .optional()
      .describe('A provider to test without storing it'),
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
  note: z.string().max(1_000).describe("The result in a sentence, with the provider's words after a refusal"),
});
export type TestedAbility = z.infer<typeof TestedAbility>;

export const testModel = defineRoute('testModel POST /models/test', {
  ...manageModels,
  summary:
    'Test a model, a connected provider or a new one: ask for a few words, then check with small requests whether it streams, calls tools, writes JSON for a schema and makes vectors. No agent is charged',
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
      fix: z
        .string()
        .nullable()
        .describe('The next step of an admin after a failure, or if thoughts and answers are not read apart'),
      tools: z.boolean().nullable().describe('The same as `can` of the ability `tools`'),
      abilities: z
        .array(TestedAbility)
        .max(MODEL_ABILITIES.length)
        .describe('Results of one small request each; empty if the model fails, and for the scripted mind'),
      cost: z
        .strictObject({ currency: z.string(), amount: z.string() })
        .nullable()
        .describe('Cost of this test at the provider, by the price table; null if the table lacks the model'),
    }),
  ),
  reasons: ['model_not_served', 'no_such_agent', 'no_such_provider', 'address_refused', 'village_frozen'],
});

const CALLBACK_CHARS_MAX = 8_000;

export const startSubscription = defineRoute('startSubscription POST /models/subscription/start', {
  ...manageModels,
  summary:
    'Begin a sign-in to a subscription: the admin opens the returned address, then sends the address at which the browser ends',
  idempotency: 'natural',
  body: z.strictObject({
    name: z.string().regex(PROVIDER_NAME, PROVIDER_NAME_FORM),
    agent_id: OwnerAgent.optional(),
    notice_accepted: z.literal(true, 'read the notice in GET /models/credentials, and write true to accept it'),
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
  summary:
    'Finish a sign-in to a subscription. The API seals its tokens, renews them before they expire, and never returns them',
  idempotency: 'natural',
  body: z.strictObject({
    callback: z.url('write the full address at which the browser ended').max(CALLBACK_CHARS_MAX),
    models: ModelOffers,
  }),
  answer: json(z.strictObject({ credential: ModelCredential })),
  reasons: ['subscription_off', 'credentials_off', 'too_many_credentials', 'sign_in_unknown', 'sign_in_refused'],
});
