import { z } from 'zod';
import { defineRoute } from '../../http/route.ts';
import { CompletionUsage, ModelReceipt, REQUEST_REASONS, RUN_REASONS } from '../models.ts';
import { CHAT_BODY_MAX_BYTES, ChatCompletionBody, ChatText } from './chat.ts';

/** Fields that no base model of a village has: the gateway refuses them by name (`unsupported_field`). */
const refused = {
  n: z.int().min(1).nullish(),
  best_of: z.int().min(1).nullish(),
  echo: z.boolean().nullish(),
  suffix: ChatText.nullish(),
  logprobs: z.int().min(0).nullish(),
};

/** OpenAI's old format, for base models alone: they continue the prompt as it is. Labels are ignored. */
export const CompletionBody = z.looseObject({
  ...ChatCompletionBody.pick({
    model: true,
    stream: true,
    stream_options: true,
    max_tokens: true,
    temperature: true,
    top_p: true,
    frequency_penalty: true,
    presence_penalty: true,
    logit_bias: true,
    seed: true,
    stop: true,
    metadata: true,
  }).shape,
  prompt: z.union([ChatText.min(1), z.array(ChatText.min(1)).length(1, 'send one prompt in each request')]),
  ...refused,
});
export type CompletionBody = z.infer<typeof CompletionBody>;

const Choice = z.strictObject({
  index: z.literal(0),
  text: z.string(),
  logprobs: z.null(),
  finish_reason: z.enum(['stop', 'length']).nullable(),
});

/** An answer, and each piece of a stream. The piece with the finish reason and all later ones have the receipt. */
export const TextCompletion = z.strictObject({
  id: z.string(),
  object: z.literal('text_completion'),
  created: z.int().min(0).describe('Unix seconds'),
  model: z.string(),
  choices: z.array(Choice),
  usage: CompletionUsage.nullable().optional(),
  hamlet: ModelReceipt.optional(),
});
export type TextCompletion = z.infer<typeof TextCompletion>;

export const createCompletion = defineRoute('createCompletion POST /v1/completions', {
  tag: 'models',
  audiences: ['agents'],
  placement: 'absolute',
  permission: 'models:use',
  summary: "Continue a text with a base model of the agent's tier, in OpenAI's format",
  idempotency: 'natural',
  body: CompletionBody,
  bodyMaxBytes: CHAT_BODY_MAX_BYTES,
  answer: { kind: 'completion', schema: TextCompletion, chunk: TextCompletion },
  reasons: [...REQUEST_REASONS, ...RUN_REASONS],
});
