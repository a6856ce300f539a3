import { z } from 'zod';
import { defineRoute, json } from '../http/route.ts';
import { Limits } from './agents.ts';
import { AiDollars } from '../values/money.ts';
import { AgentId, Time } from '../values/scalars.ts';
import { CHAT_BODY_MAX_BYTES, ChatCompletionBody, ChatReasoning, ChatText } from './models/chat.ts';

const Count = z.int().min(0);

export const CompletionUsage = z.strictObject({
  prompt_tokens: Count,
  completion_tokens: Count,
  total_tokens: Count,
  prompt_tokens_details: z.strictObject({ cached_tokens: Count }),
  completion_tokens_details: z.strictObject({ reasoning_tokens: Count }),
});
export type CompletionUsage = z.infer<typeof CompletionUsage>;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const FinishReason = z.enum(['stop', 'length', 'tool_calls']);

/** Fields that OpenAI's format does not have. */
const Origin = z.strictObject({
  provider: z.string(),
  scripted: z.boolean().describe('True if the scripted mind composed the answer, without a language model'),
});

/** The costs of an answer, including the tokens of failed attempts and fallbacks. */
const ReceiptFields = z.strictObject({
  tokens: z.strictObject({ prompt: Count, completion: Count, total: Count }),
  queue_ms: Count.describe('From the arrival of the request until the request to the provider'),
  ttft_ms: Count.nullable().describe(
    'From the request to the provider until the first piece of the answer; null if the answer is empty',
  ),
  tokens_per_s: z.number().min(0).nullable().describe('Tokens of the answer a second after its first piece'),
  price: AiDollars.describe('aiDollars that the agent is charged'),
  estimated: z.boolean().describe('True if the provider did not report all tokens'),
  seal: z
    .strictObject({ salt: Sha256, prompt_sha256: Sha256, answer_sha256: Sha256 })
    .optional()
    .describe(
      'SHA-256 of salt and text, for the prompt and the answer. The act models.call has both hashes; the salt is stored only if the village keeps texts',
    ),
  notes: z
    .array(z.enum(['tools_ignored', 'thinking_ignored', 'tools_left_out']))
    .max(3)
    .optional()
    .describe(
      'tools_ignored: the model does not support tools and answered without them; thinking_ignored: its provider has no field for thinking; tools_left_out: without those that a provider runs, such as web_search',
    ),
});
export const ModelReceipt = Origin.extend(ReceiptFields.shape);
export type ModelReceipt = z.infer<typeof ModelReceipt>;

const CompletionCall = z.discriminatedUnion('type', [
  z.strictObject({
    id: z.string(),
    type: z.literal('function'),
    function: z.strictObject({ name: z.string(), arguments: z.string() }),
  }),
  z.strictObject({
    id: z.string(),
    type: z.literal('custom'),
    custom: z.strictObject({ name: z.string(), input: z.string() }),
  }),
]);

/**
 * The first piece of a call has its id, type and name; the reader joins the arguments of all pieces. A custom call comes
 * in one piece, at the end.
 */
const CallPiece = z.strictObject({
  index: Count,
  id: z.string().optional(),
  type: z.enum(['function', 'custom']).optional(),
  function: z.strictObject({ name: z.string().optional(), arguments: z.string().optional() }).optional(),
  custom: z.strictObject({ name: z.string(), input: z.string() }).optional(),
});

/** Log probabilities for a request with `logprobs`, in OpenAI's format. */
const LogProbabilities = z.strictObject({ content: z.array(z.unknown()), refusal: z.null() }).nullable();

const thoughts = {
  reasoning_content: z.string().optional().describe('Thoughts of the model'),
  reasoning_items: z.array(ChatReasoning).optional().describe('The same, with signatures, for the next request'),
};

export const ChatCompletion = z.strictObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: Count.describe('Unix seconds'),
  model: z.string(),
  choices: z.array(
    z.strictObject({
      index: z.literal(0),
      message: z.strictObject({
        role: z.literal('assistant'),
        content: z.string().nullable(),
        refusal: z.null(),
        ...thoughts,
        tool_calls: z.array(CompletionCall).optional(),
      }),
      logprobs: LogProbabilities,
      finish_reason: FinishReason,
    }),
  ),
  usage: CompletionUsage,
  system_fingerprint: z.string(),
  hamlet: ModelReceipt,
});
export type ChatCompletion = z.infer<typeof ChatCompletion>;

/**
 * With `stream_options.include_usage`, the last piece has the usage and no choice. The piece with the finish reason and
 * all later pieces have the receipt.
 */
export const ChatCompletionChunk = z.strictObject({
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  created: Count,
  model: z.string(),
  choices: z.array(
    z.strictObject({
      index: z.literal(0),
      delta: z.strictObject({
        role: z.literal('assistant').optional(),
        content: z.string().optional(),
        ...thoughts,
        tool_calls: z.array(CallPiece).optional(),
      }),
      logprobs: LogProbabilities,
      finish_reason: FinishReason.nullable(),
    }),
  ),
  usage: CompletionUsage.nullable().optional(),
  system_fingerprint: z.string(),
  hamlet: Origin.extend(ReceiptFields.partial().shape),
});
export type ChatCompletionChunk = z.infer<typeof ChatCompletionChunk>;

const models = {
  tag: 'models',
  audiences: ['agents'],
  placement: 'absolute',
  permission: 'models:use',
} as const;

export const REQUEST_REASONS = [
  'stale_cycle',
  'no_such_agent',
  'model_not_in_tier',
  'model_not_served',
  'context_too_long',
  'too_many_in_flight',
  'token_quota_exhausted',
  'insufficient_funds',
  'account_closed',
  'model_busy',
  'content_refused',
  'model_bad_request',
  'unsupported_field',
  'model_failed',
  'village_frozen',
] as const;

/** Refusals because of the run that a request names. */
export const RUN_REASONS = ['no_such_run', 'run_settled', 'run_budget_spent'] as const;

export const completeChat = defineRoute('completeChat POST /v1/chat/completions', {
  ...models,
  summary: 'Complete a chat with a model of the agent\'s tier, in OpenAI\'s format; "stream": true sends pieces',
  idempotency: 'natural',
  body: ChatCompletionBody,
  bodyMaxBytes: CHAT_BODY_MAX_BYTES,
  answer: { kind: 'completion', schema: ChatCompletion, chunk: ChatCompletionChunk },
  reasons: [...REQUEST_REASONS, ...RUN_REASONS],
});

export const ModelView = z.strictObject({
  id: z.string(),
  object: z.literal('model'),
  created: Count,
  owned_by: z.string(),
  context_tokens: z.int().positive().describe('Maximum tokens of a prompt and its answer together'),
});
export type ModelView = z.infer<typeof ModelView>;

export const listModels = defineRoute('listModels GET /v1/models', {
  ...models,
  summary: "Models of the agent's tier that a provider serves, the default first",
  answer: json(z.strictObject({ object: z.literal('list'), data: z.array(ModelView) })),
  reasons: ['stale_cycle', 'no_such_agent'],
});

export const getModel = defineRoute('getModel GET /v1/models/{model*}', {
  ...models,
  summary: "One model of the agent's tier, if a provider serves it",
  params: z.object({ model: z.string().min(1).max(128) }),
  answer: json(ModelView),
  reasons: ['stale_cycle', 'no_such_agent', 'model_not_in_tier', 'model_not_served'],
});

const EMBEDDING_TEXTS_MAX = 2_048;
const EMBEDDING_TOKENS_MAX = 8_192;
const EmbeddingText = ChatText.min(1);
const TokenIds = z.array(z.int().min(0)).min(1).max(EMBEDDING_TOKENS_MAX);

/** OpenAI's format; other fields are ignored. */
export const EmbeddingsBody = z.looseObject({
  model: z.string().min(1).max(128),
  input: z
    .union([
      EmbeddingText,
      z.array(EmbeddingText).min(1).max(EMBEDDING_TEXTS_MAX),
      TokenIds,
      z.array(TokenIds).min(1).max(EMBEDDING_TEXTS_MAX),
    ])
    .describe("Texts, or tokens of OpenAI's tokenizer for a model of OpenAI"),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().min(1).max(65_536).nullish(),
});
export type EmbeddingsBody = z.infer<typeof EmbeddingsBody>;

export const Embeddings = z.strictObject({
  object: z.literal('list'),
  data: z.array(
    z.strictObject({
      object: z.literal('embedding'),
      index: Count,
      embedding: z.union([z.array(z.number()), z.string()]).describe('Numbers, or base64 of 32-bit floats'),
    }),
  ),
  model: z.string(),
  usage: z.strictObject({ prompt_tokens: Count, total_tokens: Count }),
  hamlet: ModelReceipt,
});
export type Embeddings = z.infer<typeof Embeddings>;

export const createEmbeddings = defineRoute('createEmbeddings POST /v1/embeddings', {
  ...models,
  summary: "Turn texts into vectors with a model of the agent's tier, in OpenAI's format",
  idempotency: 'natural',
  body: EmbeddingsBody,
  bodyMaxBytes: CHAT_BODY_MAX_BYTES,
  answer: json(Embeddings),
  reasons: [...REQUEST_REASONS, ...RUN_REASONS],
});

export const MODEL_OUTCOMES = ['under_way', 'done', 'failed', 'cancelled', 'not_paid', 'rate_limited', 'lost'] as const;
export type ModelOutcome = (typeof MODEL_OUTCOMES)[number];

export const ModelRequestView = z.strictObject({
  request_id: z.uuid(),
  model: z.string(),
  provider: z.string(),
  run_id: z.uuid().nullable(),
  pod_uid: z.string().nullable(),
  prompt_tokens: Count,
  completion_tokens: Count,
  ms: Count.nullable().describe('Null while the request is under way'),
  outcome: z.enum(MODEL_OUTCOMES),
  started_at: Time,
});
export type ModelRequestView = z.infer<typeof ModelRequestView>;

export const ModelUse = z.strictObject({
  agent_id: AgentId,
  tier: z.string().nullable(),
  limits: Limits,
  tokens: z.strictObject({
    quota: Count,
    used: Count.describe('Tokens of the present hour, including those reserved for requests under way'),
    remaining: Count,
    resets_at: Time.nullable().describe('End of the hour; null if none has begun'),
  }),
  in_flight: Count.describe('Number of requests to models under way'),
  models: z.array(z.strictObject({ model: z.string(), served: z.boolean() })),
  recent: z.array(ModelRequestView).describe('The twenty newest requests, newest first'),
});
export type ModelUse = z.infer<typeof ModelUse>;

export const getModelUse = defineRoute('getModelUse GET /agents/{agent_id}/model-use', {
  summary: 'Use of models by an agent: limits, tokens of the hour, requests under way and the newest ones',
  tag: 'models',
  permission: 'models:read',
  answer: json(ModelUse),
  reasons: ['not_own_agent', 'no_such_agent'],
});
