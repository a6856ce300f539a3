import { z } from 'zod';
import { defineRoute } from '../../http/route.ts';
import { ModelReceipt, REQUEST_REASONS, RUN_REASONS } from '../models.ts';
import {
  ANSWER_TOKENS_MAX,
  CHAT_BODY_MAX_BYTES,
  CHAT_MESSAGES_MAX,
  ChatMetadata,
  ChatText,
  CustomFormat,
  JsonSchema,
  PARTS_MAX,
  TOOL_DESCRIPTION_MAX_CHARS,
} from './chat.ts';

const TOOLS_MAX = 1_024;

const Name = z.string().min(1).max(128);
const CallId = z.string().min(1).max(256);

/** A part of a message or of the output of a call. The model gets a sentence in place of one that it cannot read. */
const Part = z.looseObject({
  type: z.string().min(1).max(64),
  text: ChatText.nullish(),
  refusal: ChatText.nullish(),
  image_url: ChatText.nullish().describe('A data URL, for the type input_image'),
  filename: z.string().max(1_024).nullish(),
  file_data: ChatText.nullish(),
});
export type ResponsePart = z.infer<typeof Part>;

const Content = z.union([ChatText, z.array(Part).max(PARTS_MAX)]);

const NEEDS: Readonly<Record<string, readonly string[]>> = {
  function_call: ['call_id', 'name', 'arguments'],
  custom_tool_call: ['call_id', 'name', 'input'],
  function_call_output: ['call_id'],
  custom_tool_call_output: ['call_id'],
};

const ItemType = z.string().max(64).nullish();

const ReadItem = z
  .looseObject({
    type: ItemType.describe('message by default'),
    role: z.enum(['system', 'developer', 'user', 'assistant']).nullish(),
    content: Content.nullish(),
    call_id: CallId.nullish(),
    namespace: Name.nullish(),
    name: Name.nullish(),
    arguments: ChatText.nullish(),
    input: ChatText.nullish(),
    output: Content.nullish(),
    summary: z
      .array(z.looseObject({ text: ChatText }))
      .max(PARTS_MAX)
      .nullish(),
    encrypted_content: ChatText.nullish(),
  })
  .refine((item) => (NEEDS[item.type ?? ''] ?? []).every((field) => typeof item[field] === 'string'), {
    message: 'a call needs call_id, name and arguments (a custom one input), and an output the call_id of its call',
  });

const READ_TYPES: ReadonlySet<string> = new Set(['message', 'reasoning', 'item_reference', ...Object.keys(NEEDS)]);

/**
 * An item of the input. Items of other types are accepted in all their shapes, because they stay in the history of a client,
 * and left out.
 */
const InputItem = z
  .looseObject({ type: ItemType })
  .transform((item) => (READ_TYPES.has(item.type ?? 'message') ? item : { type: item.type }))
  .pipe(ReadItem);
export type ResponseInputItem = z.infer<typeof InputItem>;

const toolFields = { name: Name, description: z.string().max(TOOL_DESCRIPTION_MAX_CHARS).nullish() };
const FunctionTool = z.looseObject({
  type: z.literal('function'),
  ...toolFields,
  parameters: JsonSchema.nullish(),
  strict: z.boolean().nullish(),
});
const CustomTool = z.looseObject({ type: z.literal('custom'), ...toolFields, format: CustomFormat.nullish() });
const Callable = z.discriminatedUnion('type', [FunctionTool, CustomTool]);
export type ResponseCallable = z.infer<typeof Callable>;

/** Tools that the provider itself would run. Codex always offers some: they are left out, and the receipt says so. */
export const LEFT_OUT_TOOLS = ['web_search', 'web_search_preview', 'image_generation', 'tool_search'] as const;

const Tool = z.discriminatedUnion(
  'type',
  [
    FunctionTool,
    CustomTool,
    z.looseObject({ type: z.literal('namespace'), ...toolFields, tools: z.array(Callable).max(TOOLS_MAX) }),
    z.looseObject({ type: z.enum(LEFT_OUT_TOOLS) }),
  ],
  'these models call function, custom and namespace tools only',
);

const NamedTool = z.looseObject({ type: z.enum(['function', 'custom']), name: Name, namespace: Name.nullish() });

const ToolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  NamedTool,
  z.looseObject({
    type: z.literal('allowed_tools'),
    mode: z.enum(['auto', 'required']),
    tools: z.array(NamedTool).max(TOOLS_MAX),
  }),
]);
export type ResponseToolChoice = z.infer<typeof ToolChoice>;

const TextFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    name: z.string().max(64),
    schema: JsonSchema,
    strict: z.boolean().nullish(),
  }),
]);

const word = z.string().min(1).max(64);

/** Fields that need stored answers, or tools or judges of the provider: the gateway refuses them by name (`unsupported_field`). */
const refused = {
  previous_response_id: z.string().max(256).nullish().describe('The village stores no answers: send the whole input'),
  conversation: z.unknown().optional(),
  prompt: z.unknown().optional(),
  moderation: z.unknown().optional(),
  background: z.boolean().nullish(),
  top_logprobs: z.int().min(0).nullish(),
};

/** The Responses format of OpenAI. Labels, `store`, `include` and `truncation` are accepted and ignored: nothing is stored. */
export const ResponseBody = z.looseObject({
  model: z.string().min(1).max(128).meta({ description: 'Model of the tier, see GET /v1/models', example: 'small' }),
  input: z.union([ChatText, z.array(InputItem).max(CHAT_MESSAGES_MAX)]),
  instructions: ChatText.nullish(),
  tools: z.array(Tool).max(TOOLS_MAX).nullish(),
  tool_choice: ToolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_output_tokens: z.int().min(1).max(ANSWER_TOKENS_MAX).nullish().describe('Lowered to what the model can write'),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  reasoning: z.looseObject({ effort: word.nullish(), summary: word.nullish() }).nullish(),
  text: z.looseObject({ format: TextFormat.nullish(), verbosity: word.nullish() }).nullish(),
  service_tier: word.nullish(),
  stream: z.boolean().nullish(),
  metadata: ChatMetadata.nullish(),
  ...refused,
});
export type ResponseBody = z.infer<typeof ResponseBody>;

const Count = z.int().min(0);
const Status = z.enum(['in_progress', 'completed', 'incomplete']);

const SummaryText = z.strictObject({ type: z.literal('summary_text'), text: z.string() });
const OutputText = z.strictObject({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.tuple([]),
  logprobs: z.tuple([]),
});
const called = { id: z.string(), status: Status, call_id: z.string(), name: z.string() };

export const ResponseItem = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('reasoning'),
    id: z.string(),
    summary: z.array(SummaryText),
    encrypted_content: z.string().nullable().describe('Send it back as it came'),
  }),
  z.strictObject({
    type: z.literal('message'),
    id: z.string(),
    status: Status,
    role: z.literal('assistant'),
    content: z.array(OutputText),
  }),
  z.strictObject({
    type: z.literal('function_call'),
    ...called,
    namespace: z.string().optional(),
    arguments: z.string(),
  }),
  z.strictObject({
    type: z.literal('custom_tool_call'),
    ...called,
    namespace: z.string().optional(),
    input: z.string(),
  }),
]);
export type ResponseItem = z.infer<typeof ResponseItem>;

export const ResponseUsage = z.strictObject({
  input_tokens: Count,
  input_tokens_details: z.strictObject({ cached_tokens: Count }),
  output_tokens: Count,
  output_tokens_details: z.strictObject({ reasoning_tokens: Count }),
  total_tokens: Count,
});
export type ResponseUsage = z.infer<typeof ResponseUsage>;

export const ResponseAnswer = z.strictObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: Count.describe('Unix seconds'),
  status: Status,
  model: z.string(),
  output: z.array(ResponseItem),
  usage: ResponseUsage.nullable(),
  incomplete_details: z.strictObject({ reason: z.literal('max_output_tokens') }).nullable(),
  error: z.null(),
  instructions: z.string().nullable(),
  max_output_tokens: Count.nullable(),
  metadata: z.record(z.string(), z.unknown()),
  parallel_tool_calls: z.boolean(),
  previous_response_id: z.null(),
  store: z.literal(false),
  temperature: z.number().nullable(),
  tool_choice: z.unknown(),
  tools: z.array(z.unknown()),
  top_p: z.number().nullable(),
  truncation: z.literal('disabled'),
  hamlet: ModelReceipt.optional(),
});
export type ResponseAnswer = z.infer<typeof ResponseAnswer>;

/** The events of a stream, named by their type. A `response.failed` with the error ends it instead of `response.completed`. */
export const ResponseEvent = z.strictObject({
  type: z.enum([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.output_item.done',
    'response.content_part.added',
    'response.content_part.done',
    'response.output_text.delta',
    'response.output_text.done',
    'response.reasoning_summary_part.added',
    'response.reasoning_summary_part.done',
    'response.reasoning_summary_text.delta',
    'response.reasoning_summary_text.done',
    'response.function_call_arguments.delta',
    'response.function_call_arguments.done',
    'response.custom_tool_call_input.delta',
    'response.custom_tool_call_input.done',
    'response.completed',
    'response.incomplete',
  ]),
  sequence_number: Count,
  response: ResponseAnswer.optional(),
  output_index: Count.optional(),
  content_index: Count.optional(),
  summary_index: Count.optional(),
  item_id: z.string().optional(),
  item: ResponseItem.optional(),
  part: z.discriminatedUnion('type', [OutputText, SummaryText]).optional(),
  delta: z.string().optional(),
  text: z.string().optional(),
  name: z.string().optional(),
  arguments: z.string().optional(),
  input: z.string().optional(),
  logprobs: z.tuple([]).optional(),
});
export type ResponseEvent = z.infer<typeof ResponseEvent>;

export const createResponse = defineRoute('createResponse POST /v1/responses', {
  tag: 'models',
  audiences: ['agents'],
  placement: 'absolute',
  permission: 'models:use',
  summary:
    'Complete a chat with a model of the agent\'s tier, in OpenAI\'s format Responses; "stream": true sends events',
  idempotency: 'natural',
  body: ResponseBody,
  bodyMaxBytes: CHAT_BODY_MAX_BYTES,
  answer: { kind: 'completion', wire: 'responses', schema: ResponseAnswer, chunk: ResponseEvent },
  reasons: [...REQUEST_REASONS, ...RUN_REASONS],
});
