import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import {
  CHAT_BODY_MAX_BYTES,
  CHAT_MESSAGES_MAX,
  CHAT_TEXT_MAX_CHARS,
  ChatMetadata,
  ModelReceipt,
  REQUEST_REASONS,
} from '../models.ts';

const BLOCKS_MAX = 256;
const TOOLS_MAX = 128;
const STOPS_MAX = 4;

const Text = z.string().max(CHAT_TEXT_MAX_CHARS);
const JsonObject = z.record(z.string(), z.unknown());
const ToolName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'write 1 to 64 letters, digits, _ and -');
const CallId = z.string().min(1).max(256);
const TextBlock = z.looseObject({ type: z.literal('text', 'these models read text only'), text: Text });

/** Anthropic's content. Thinking blocks of earlier answers are accepted and dropped. */
const Block = z.discriminatedUnion(
  'type',
  [
    TextBlock,
    z.looseObject({ type: z.literal('tool_use'), id: CallId, name: ToolName, input: JsonObject }),
    z.looseObject({
      type: z.literal('tool_result'),
      tool_use_id: CallId,
      content: z.union([Text, z.array(TextBlock).max(BLOCKS_MAX)]).nullish(),
      is_error: z.boolean().nullish(),
    }),
    z.looseObject({ type: z.literal('thinking') }),
    z.looseObject({ type: z.literal('redacted_thinking') }),
  ],
  'these models read text, calls of tools and their results: leave other content out',
);
export type MessageBlock = z.infer<typeof Block>;

const Message = z.looseObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([Text, z.array(Block).max(BLOCKS_MAX)]),
});

const Tool = z.looseObject({
  type: z.literal('custom', 'these models call only tools that the caller runs').nullish(),
  name: ToolName,
  description: z.string().max(16_384).nullish(),
  input_schema: JsonObject,
});

const parallel = { disable_parallel_tool_use: z.boolean().nullish() };
const ToolChoice = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('auto'), ...parallel }),
  z.looseObject({ type: z.literal('any'), ...parallel }),
  z.looseObject({ type: z.literal('tool'), name: ToolName, ...parallel }),
  z.looseObject({ type: z.literal('none') }),
]);

const Format = z.looseObject({ type: z.literal('json_schema'), schema: JsonObject });

const conversation = {
  model: z.string().min(1).max(128).meta({ description: 'Model of the tier, see GET /v1/models', example: 'small' }),
  messages: z.array(Message).min(1).max(CHAT_MESSAGES_MAX),
  system: z.union([Text, z.array(TextBlock).max(BLOCKS_MAX)]).nullish(),
  tools: z.array(Tool).max(TOOLS_MAX).nullish(),
  tool_choice: ToolChoice.nullish(),
  output_config: z.looseObject({ format: Format.nullish() }).nullish(),
};

/** Anthropic's format; other fields, such as top_k and thinking, are accepted and ignored. */
export const MessagesBody = z.looseObject({
  ...conversation,
  max_tokens: z.int().min(1).max(1_000_000).describe('Limited by the context of the model'),
  stream: z.boolean().nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  stop_sequences: z.array(z.string().min(1).max(64)).max(STOPS_MAX).nullish(),
  metadata: ChatMetadata.nullish(),
});
export type MessagesBody = z.infer<typeof MessagesBody>;

const Count = z.int().min(0);
const Usage = z.strictObject({
  input_tokens: Count,
  output_tokens: Count,
  cache_creation_input_tokens: z.null(),
  cache_read_input_tokens: z.null(),
});
const StopReason = z.enum(['end_turn', 'max_tokens', 'tool_use']);

const TextAnswer = z.strictObject({ type: z.literal('text'), text: z.string(), citations: z.null() });
const ToolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: JsonObject.describe('Arguments that are not a JSON object are in the field invalid_arguments'),
});

const head = {
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  stop_sequence: z.null(),
  usage: Usage,
};

export const MessageAnswer = z.strictObject({
  ...head,
  content: z.array(z.discriminatedUnion('type', [TextAnswer, ToolUse])),
  stop_reason: StopReason,
  hamlet: ModelReceipt,
});
export type MessageAnswer = z.infer<typeof MessageAnswer>;

const at = { index: Count };

/** The events of a stream. `message_delta` has the usage and the receipt; an `error` ends the stream instead of `message_stop`. */
export const MessageEvent = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('message_start'),
    message: z.strictObject({ ...head, content: z.tuple([]), stop_reason: z.null() }),
  }),
  z.strictObject({
    type: z.literal('content_block_start'),
    ...at,
    content_block: z.discriminatedUnion('type', [TextAnswer, ToolUse]),
  }),
  z.strictObject({
    type: z.literal('content_block_delta'),
    ...at,
    delta: z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text_delta'), text: z.string() }),
      z.strictObject({ type: z.literal('input_json_delta'), partial_json: z.string() }),
    ]),
  }),
  z.strictObject({ type: z.literal('content_block_stop'), ...at }),
  z.strictObject({
    type: z.literal('message_delta'),
    delta: z.strictObject({ stop_reason: StopReason, stop_sequence: z.null() }),
    usage: Usage,
    hamlet: ModelReceipt,
  }),
  z.strictObject({ type: z.literal('message_stop') }),
]);
export type MessageEvent = z.infer<typeof MessageEvent>;

const messages = { tag: 'models', audiences: ['agents'], placement: 'absolute', permission: 'models:use' } as const;

export const createMessage = defineRoute('createMessage POST /v1/messages', {
  ...messages,
  summary: 'Complete a chat with a model of the agent\'s tier, in Anthropic\'s format; "stream": true sends events',
  idempotency: 'natural',
  body: MessagesBody,
  bodyMaxBytes: CHAT_BODY_MAX_BYTES,
  answer: { kind: 'completion', wire: 'anthropic', schema: MessageAnswer, chunk: MessageEvent },
  reasons: [...REQUEST_REASONS, 'run_settled', 'run_budget_spent'],
});

export const countMessageTokens = defineRoute('countMessageTokens POST /v1/messages/count_tokens', {
  ...messages,
  summary: "Count the tokens of a chat in Anthropic's format: an estimate, but exact for the scripted mind",
  idempotency: 'natural',
  body: z.looseObject(conversation),
  bodyMaxBytes: CHAT_BODY_MAX_BYTES,
  answer: json(z.strictObject({ input_tokens: Count })),
  reasons: ['stale_cycle', 'no_such_agent', 'model_not_in_tier', 'model_not_served'],
});
export type CountedMessages = Pick<
  MessagesBody,
  'model' | 'messages' | 'system' | 'tools' | 'tool_choice' | 'output_config'
>;
