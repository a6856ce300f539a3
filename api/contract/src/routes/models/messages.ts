import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import {
  ANSWER_TOKENS_MAX,
  CHAT_BODY_MAX_BYTES,
  CHAT_MESSAGES_MAX,
  ChatMetadata,
  ChatText,
  JsonSchema,
  PARTS_MAX,
  Thinking,
  TOOL_DESCRIPTION_MAX_CHARS,
  TopK,
} from './chat.ts';
import { ModelReceipt, REQUEST_REASONS, RUN_REASONS } from '../models.ts';

const TOOLS_MAX = 1_024;
const STOPS_MAX = 64;
const STOP_MAX_CHARS = 256;

const ToolName = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, 'write 1 to 128 letters, digits, _ and -');
const CallId = z.string().min(1).max(256);

const fields = {
  text: ChatText.nullish(),
  title: z.string().max(4_096).nullish(),
  source: z
    .union([
      z.string().max(4_096),
      z.looseObject({
        type: z.string().max(64),
        media_type: z.string().max(256).nullish(),
        data: ChatText.nullish(),
        url: ChatText.nullish(),
      }),
    ])
    .nullish(),
  tool_name: z.string().max(256).nullish(),
  thinking: ChatText.nullish(),
  signature: ChatText.nullish(),
  data: ChatText.nullish(),
};

/** Anthropic's blocks without others in them: text, image, thinking and so on. A model gets a sentence in place of one that it cannot read. */
const Leaf = z.looseObject({ type: z.string().min(1).max(64), ...fields });
export type MessageLeaf = z.infer<typeof Leaf>;

/** Blocks with others in them: results of tools, documents and results of a search. */
const Block = z.looseObject({
  ...Leaf.shape,
  id: CallId.nullish(),
  name: z.string().min(1).max(128).nullish(),
  input: JsonSchema.nullish(),
  tool_use_id: CallId.nullish(),
  content: z
    .union([ChatText, z.array(z.looseObject({ ...Leaf.shape, content: z.unknown().optional() })).max(PARTS_MAX)])
    .nullish(),
  is_error: z.boolean().nullish(),
});
export type MessageBlock = z.infer<typeof Block>;

const isNamed = ({ type, id, name, tool_use_id: of }: MessageBlock): boolean =>
  (type !== 'tool_use' || (typeof id === 'string' && typeof name === 'string')) &&
  (type !== 'tool_result' || typeof of === 'string');

const Message = z.looseObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([
    ChatText,
    z
      .array(Block.refine(isNamed, 'a tool_use needs id and name, a tool_result the tool_use_id of its call'))
      .max(PARTS_MAX),
  ]),
});

const Tool = z.looseObject({
  type: z.literal('custom', 'these models know only tools of the type custom, with an input_schema').nullish(),
  name: ToolName,
  description: z.string().max(TOOL_DESCRIPTION_MAX_CHARS).nullish(),
  input_schema: JsonSchema,
});

const parallel = { disable_parallel_tool_use: z.boolean().nullish() };
const ToolChoice = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('auto'), ...parallel }),
  z.looseObject({ type: z.literal('any'), ...parallel }),
  z.looseObject({ type: z.literal('tool'), name: ToolName, ...parallel }),
  z.looseObject({ type: z.literal('none') }),
]);

const Format = z.looseObject({ type: z.literal('json_schema'), schema: JsonSchema });

const conversation = {
  model: z.string().min(1).max(128).meta({ description: 'Model of the tier, see GET /v1/models', example: 'small' }),
  messages: z.array(Message).min(1).max(CHAT_MESSAGES_MAX),
  system: z.union([ChatText, z.array(Leaf).max(PARTS_MAX)]).nullish(),
  tools: z.array(Tool).max(TOOLS_MAX).nullish(),
  tool_choice: ToolChoice.nullish(),
  output_config: z.looseObject({ format: Format.nullish() }).nullish(),
};

/** Fields that need tools or stored conversations of the provider: the gateway refuses them by name (`unsupported_field`). */
const refused = {
  mcp_servers: z.array(z.unknown()).nullish(),
  container: z.unknown().optional(),
  thread: z.unknown().optional(),
  compaction: z.unknown().optional(),
};

/** Anthropic's format. The gateway refuses `top_k` where a provider lacks it, and notes a model without `thinking`. */
export const MessagesBody = z.looseObject({
  ...conversation,
  max_tokens: z.int().min(1).max(ANSWER_TOKENS_MAX).describe('Lowered to what the model can write'),
  stream: z.boolean().nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: TopK.nullish(),
  thinking: Thinking.nullish(),
  stop_sequences: z.array(z.string().min(1).max(STOP_MAX_CHARS)).max(STOPS_MAX).nullish(),
  metadata: ChatMetadata.nullish(),
  ...refused,
});
export type MessagesBody = z.infer<typeof MessagesBody>;

const Count = z.int().min(0);
const Usage = z.strictObject({
  input_tokens: Count,
  output_tokens: Count,
  cache_creation_input_tokens: Count,
  cache_read_input_tokens: Count,
});
const StopReason = z.enum(['end_turn', 'max_tokens', 'tool_use']);

const TextAnswer = z.strictObject({ type: z.literal('text'), text: z.string(), citations: z.null() });
const ToolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: JsonSchema.describe('Arguments that are not a JSON object are in the field invalid_arguments'),
});

const Thought = z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() });
const HiddenThought = z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() });
const Content = z.discriminatedUnion('type', [TextAnswer, ToolUse, Thought, HiddenThought]);

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
  content: z.array(Content),
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
    content_block: Content,
  }),
  z.strictObject({
    type: z.literal('content_block_delta'),
    ...at,
    delta: z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text_delta'), text: z.string() }),
      z.strictObject({ type: z.literal('thinking_delta'), thinking: z.string() }),
      z.strictObject({ type: z.literal('signature_delta'), signature: z.string() }),
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
  reasons: [...REQUEST_REASONS, ...RUN_REASONS],
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
