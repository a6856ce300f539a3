import { z } from 'zod';
import { AgentId, Time } from '../../values/scalars.ts';

const PROVIDER_MODELS_MAX = 50;
const URL_CHARS_MAX = 500;
export const USERS_SHOWN_MAX = 50;

/** Kinds of providers that an admin can connect directly. A subscription needs a sign-in. */
export const CONNECTABLE_KINDS = [
  'openai',
  'openrouter',
  'anthropic',
  'ollama',
  'vllm',
  'compatible',
  'completions',
] as const;
export type ConnectableKind = (typeof CONNECTABLE_KINDS)[number];

export const CredentialName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'write the name of a credential, such as "openai-key"')
  .meta({ description: 'Name of the key in the configuration of the models', example: 'openai-key' });

export const OwnerAgent = AgentId.nullable().describe('The agent that owns it; null if the village does');

const NO_STAR = 'write a name without *: a connected provider lists each model';
const ModelName = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[^*]*$/, NO_STAR);

function isPlainHttp(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password, search, hash } = new URL(value);
  return /^https?:$/.test(protocol) && username + password + search + hash === '';
}

export const BaseUrl = z
  .string()
  .max(URL_CHARS_MAX)
  .refine(isPlainHttp, 'write an http or https address without user, query and fragment, such as "http://vllm:8000/v1"')
  .meta({ example: 'http://vllm:8000/v1' });

export const ApiKey = z
  .string()
  .min(8)
  .max(8_000)
  .regex(/^[\x21-\x7e]+$/, 'write the key alone: printable characters without spaces');

export const OpenedThoughts = z
  .literal('opened')
  .describe(
    'For a model whose prompt opens its thoughts at a server without a reasoning parser: its answers begin within thoughts and have a closing tag alone',
  );

/** Settings of an admin override the results of a test. */
const abilities = {
  tools: z.boolean().optional().describe('False for a model that cannot call tools; by default the result of a test'),
  json: z
    .boolean()
    .optional()
    .describe('False for a model that cannot write JSON for a schema; by default the result of a test'),
  stream: z.boolean().optional().describe('False for a server that cannot stream; by default the result of a test'),
  embeddings: z
    .boolean()
    .optional()
    .describe('False for a model that cannot make vectors of texts; by default the result of a test'),
  images: z
    .boolean()
    .optional()
    .describe(
      'True for a model that sees images; by default known from its name. Others get a text in place of an image',
    ),
  thoughts: OpenedThoughts.optional(),
};

export const ModelOffer = z.strictObject({
  name: ModelName.meta({ description: 'Name of the model in tiers and requests', example: 'small' }),
  model: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[^*]*$/, NO_STAR)
    .optional()
    .describe("The provider's name of the model; by default the same"),
  context_tokens: z
    .int()
    .min(256)
    .max(10_000_000)
    .optional()
    .describe('Maximum tokens of a prompt and its answer; 32768 by default'),
  answer_tokens: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('Maximum tokens of an answer; by default what the model can write, at most half of its context'),
  ...abilities,
});
export type ModelOffer = z.infer<typeof ModelOffer>;

export const ModelOffers = z
  .array(ModelOffer)
  .min(1)
  .max(PROVIDER_MODELS_MAX)
  .refine((models) => new Set(models.map(({ name }) => name)).size === models.length, 'name each model once');

export const ConnectedProvider = z.strictObject({
  kind: z.enum([...CONNECTABLE_KINDS, 'openai-subscription']),
  base_url: z.string(),
  models: z.array(ModelOffer.required().extend(abilities)),
  max_in_flight: z
    .int()
    .min(1)
    .max(10_000)
    .nullable()
    .describe('Maximum number of parallel requests; null for no limit'),
});
export type ConnectedProvider = z.infer<typeof ConnectedProvider>;

export const ProviderUsers = z.strictObject({
  agents: z.array(AgentId).describe('The first fifty by name'),
  total: z.int().min(0),
});
export type ProviderUsers = z.infer<typeof ProviderUsers>;

/** The abilities of a model besides writing whole answers. */
export const MODEL_ABILITIES = ['stream', 'tools', 'json', 'embeddings'] as const;
export type ModelAbility = (typeof MODEL_ABILITIES)[number];

const found = z.boolean().nullable().describe('Null if the test could not find out');

export const FoundAbilities = z.strictObject({ stream: found, tools: found, json: found, embeddings: found });
export type FoundAbilities = z.infer<typeof FoundAbilities>;

export const TestedModels = z
  .array(FoundAbilities.extend({ model: z.string().max(200).describe("The provider's name of the model") }))
  .max(PROVIDER_MODELS_MAX);
export type TestedModels = z.infer<typeof TestedModels>;

export const ProviderTest = z.strictObject({
  at: Time,
  ok: z.boolean(),
  ms: z.int().min(0),
  code: z.string().nullable(),
  message: z.string().nullable(),
});

export const manageModels = { tag: 'models', audiences: ['people'], permission: 'models:manage' } as const;
