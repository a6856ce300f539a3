import { z } from 'zod';

/** Bytes of a conversation that fills a context of 256,000 tokens, with its tools and some images. Texts have no other limit. */
export const CHAT_BODY_MAX_BYTES = 8 << 20;
export const CHAT_MESSAGES_MAX = 10_000;
export const TOOL_DESCRIPTION_MAX_CHARS = 65_536;
export const PARTS_MAX = 1_024;
/** More than any context has: a greater limit of an answer is lowered to what the model can write. */
export const ANSWER_TOKENS_MAX = 10_000_000;
const STOPS_MAX = 64;
const STOP_MAX_CHARS = 256;
const TOOLS_MAX = 128;
const CALLS_MAX = 128;

export const ChatText = z.string().max(CHAT_BODY_MAX_BYTES);

/**
 * A part of a message in OpenAI's format. Text and images in a data URL reach the model. Other parts are accepted, because
 * they stay in the history of a client: the model gets a sentence in their place.
 */
const ChatPart = z.looseObject({
  type: z.string().min(1).max(64),
  text: ChatText.nullish(),
  refusal: ChatText.nullish(),
  image_url: z.looseObject({ url: ChatText }).nullish().describe('A data URL, for the type image_url'),
  cache_control: z
    .looseObject({ type: z.string().max(64) })
    .nullish()
    .describe('In a system message: later requests repeat everything up to this part'),
  file: z.looseObject({ filename: z.string().max(1_024).nullish(), file_data: ChatText.nullish() }).nullish(),
});
export type ChatPart = z.infer<typeof ChatPart>;

const ToolName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'write 1 to 64 letters, digits, _ and -');
const CallId = z.string().min(1).max(256);
const CalledName = z.string().min(1).max(128);

/** OpenAI's format. `arguments` is the JSON text as the model wrote it: it may be invalid. A custom tool has free text. */
const ChatToolCall = z.union([
  z.looseObject({
    id: CallId,
    type: z.literal('function'),
    function: z.looseObject({ name: CalledName, arguments: ChatText }),
  }),
  z.looseObject({
    id: CallId,
    type: z.literal('custom'),
    custom: z.looseObject({ name: CalledName, input: ChatText }),
  }),
]);
export type ChatToolCall = z.infer<typeof ChatToolCall>;

/** The thoughts of a model, with the provider's signature or encrypted item if it has one. */
export const ChatReasoning = z.looseObject({ text: ChatText, sealed: ChatText.nullable() });

/** OpenAI's format; other fields are ignored. */
export const ChatMessage = z
  .looseObject({
    role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
    content: z.union([ChatText, z.array(ChatPart).max(PARTS_MAX)]).nullish(),
    name: z.string().max(64).nullish(),
    tool_calls: z.array(ChatToolCall).max(CALLS_MAX).nullish().describe('Calls of an assistant'),
    tool_call_id: CallId.nullish().describe('Id of the call that this result answers'),
    reasoning_content: ChatText.nullish().describe('Thoughts of an assistant'),
    reasoning_items: z
      .array(ChatReasoning)
      .max(PARTS_MAX)
      .nullish()
      .describe('The same, with signatures: send them back as they came'),
  })
  .refine(({ role, tool_call_id: id }) => role !== 'tool' || (id ?? '') !== '', {
    path: ['tool_call_id'],
    message: 'a message of role tool needs the tool_call_id of the call that it answers',
  });
export type ChatMessage = z.infer<typeof ChatMessage>;

export const JsonSchema = z.record(z.string(), z.unknown());

const ToolDescription = z.string().max(TOOL_DESCRIPTION_MAX_CHARS).nullish();

const FunctionTool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({
    name: ToolName,
    description: ToolDescription,
    parameters: JsonSchema.nullish().describe('JSON Schema of the arguments'),
    strict: z.boolean().nullish(),
  }),
});

/** The form of a custom tool's text, such as a grammar; the model gets it as words. */
export const CustomFormat = z.looseObject({ type: z.string().max(64) });

/** A tool that takes free text. The model gets a function with one text, and the caller gets the text. */
const CustomTool = z.looseObject({
  type: z.literal('custom'),
  custom: z.looseObject({ name: ToolName, description: ToolDescription, format: CustomFormat.nullish() }),
});

const ChatTool = z.discriminatedUnion(
  'type',
  [FunctionTool, CustomTool],
  'these models call functions and custom tools only',
);
export type ChatTool = z.infer<typeof ChatTool>;

const NamedTool = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: ToolName }) }),
  z.looseObject({ type: z.literal('custom'), custom: z.looseObject({ name: ToolName }) }),
]);
export type NamedTool = z.infer<typeof NamedTool>;

const AllowedTools = z.looseObject({
  type: z.literal('allowed_tools'),
  allowed_tools: z.looseObject({ mode: z.enum(['auto', 'required']), tools: z.array(NamedTool).max(TOOLS_MAX) }),
});

const ChatToolChoice = z.union([z.enum(['none', 'auto', 'required']), NamedTool, AllowedTools]);

const ResponseFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({ name: ToolName, schema: JsonSchema, strict: z.boolean().nullish() }),
  }),
]);

/** A whole number, or its decimal text, because OpenAI clients send texts in metadata. */
const Ordinal = z.union([
  z.int().min(0),
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number),
]);

const RunMetadata = z.looseObject({
  run_id: z.uuid().nullish().describe('Run of the agent that the request serves'),
  ask: Ordinal.nullish().describe("The engine's number of this request in its run"),
  attempt: Ordinal.nullish().describe("The engine's attempt at this request"),
  lease: Ordinal.nullish().describe('Attempt at the run for which the agent holds the lease'),
});

/** Labels of other programs, which may use the same names, are ignored. */
export const ChatMetadata = z.union([
  RunMetadata,
  z.record(z.string(), z.unknown()).transform((): z.infer<typeof RunMetadata> => ({})),
]);

const Penalty = z.number().min(-2).max(2).nullish();
const word = z.string().min(1).max(64);

/** Tokens that the model may choose from; 0 and -1 mean all. */
export const TopK = z.int().min(-1).max(1_000_000);
/** Anthropic's request for thoughts, with their maximum tokens. Other models think as they usually do. */
export const Thinking = z.object({
  type: word,
  budget_tokens: z.int().min(0).max(ANSWER_TOKENS_MAX).nullish(),
  display: word.nullish(),
});

/** Fields that a provider takes or refuses by name. */
const provided = {
  top_p: z.number().min(0).max(1).nullish(),
  top_k: TopK.nullish(),
  thinking: Thinking.nullish(),
  frequency_penalty: Penalty,
  presence_penalty: Penalty,
  logit_bias: z.record(z.string().max(16), z.number()).nullish(),
  reasoning_effort: word.nullish(),
  verbosity: word.nullish(),
  service_tier: word.nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
};

/** Fields of OpenAI's format that no provider of a village has: the gateway refuses them by name (`unsupported_field`). */
const refused = {
  n: z.int().min(1).nullish().describe('These models return one choice'),
  modalities: z.array(word).max(8).nullish().describe('Text only'),
  audio: z.unknown().optional(),
  web_search_options: z.unknown().optional(),
  moderation: z.unknown().optional(),
  functions: z.unknown().optional(),
  function_call: z.unknown().optional(),
};

/** OpenAI's format. Labels such as user, store and prompt_cache_key are ignored; the gateway refuses what it cannot keep. */
export const ChatCompletionBody = z.looseObject({
  model: z.string().min(1).max(128).meta({ description: 'Model of the tier, see GET /v1/models', example: 'small' }),
  messages: z.array(ChatMessage).min(1).max(CHAT_MESSAGES_MAX),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.int().min(1).max(ANSWER_TOKENS_MAX).nullish().describe('Lowered to what the model can write'),
  max_completion_tokens: z.int().min(1).max(ANSWER_TOKENS_MAX).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  seed: z.int().nullish(),
  tools: z.array(ChatTool).max(TOOLS_MAX).nullish(),
  tool_choice: ChatToolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: ResponseFormat.nullish(),
  metadata: ChatMetadata.nullish(),
  stop: z.union([z.string().max(STOP_MAX_CHARS), z.array(z.string().max(STOP_MAX_CHARS)).max(STOPS_MAX)]).nullish(),
  ...provided,
  ...refused,
});
export type ChatCompletionBody = z.infer<typeof ChatCompletionBody>;
