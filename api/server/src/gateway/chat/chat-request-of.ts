import type {
  ChatCompletionBody,
  ChatTool,
  ChatToolCall,
  ChatMessage as WireMessage,
  NamedTool,
} from '@hamlet/contract';
import type {
  ChatMessage,
  ChatRequest,
  ReasoningItem,
  ResponseSchema,
  ToolCall,
  ToolChoice,
  ToolDefinition,
} from '@hamlet/models';
import { EXTRA_FIELDS } from '@hamlet/models';
import { contentOf, type ReadContent } from './chat-parts.ts';
import { argumentsOfCustom, functionOfCustom } from './custom-tools.ts';

function callOf(call: ChatToolCall): ToolCall {
  if (call.type === 'function') return { id: call.id, name: call.function.name, arguments: call.function.arguments };
  return { id: call.id, name: call.custom.name, arguments: argumentsOfCustom(call.custom.input) };
}

function reasoningOf({ reasoning_items: items, reasoning_content: text }: WireMessage): readonly ReasoningItem[] {
  if (items !== null && items !== undefined && items.length > 0)
    return items.map(({ text: words, sealed }) => ({ text: words, sealed }));
  return text === null || text === undefined || text === '' ? [] : [{ text, sealed: null }];
}

const imagesOf = ({ images }: ReadContent): Pick<ReadContent, never> | Pick<ReadContent, 'images'> =>
  images.length === 0 ? {} : { images };

function assistantOf(message: WireMessage, content: string): ChatMessage {
  const toolCalls = (message.tool_calls ?? []).map(callOf);
  const reasoning = reasoningOf(message);
  return {
    role: 'assistant',
    content,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(reasoning.length === 0 ? {} : { reasoning }),
  };
}

/** The system text up to the last part with a cache mark is repeated by later requests. */
function systemOf({ content }: WireMessage): readonly ChatMessage[] {
  const parts = typeof content === 'string' ? [] : (content ?? []);
  const marked = parts.findLastIndex(({ cache_control: mark }) => mark !== null && mark !== undefined);
  if (marked < 0) return [{ role: 'system', content: contentOf({ content }).text }];
  const [stable, rest] = [parts.slice(0, marked + 1), parts.slice(marked + 1)];
  const first: ChatMessage = { role: 'system', content: contentOf({ content: stable }).text, cacheable: true };
  return rest.length === 0 ? [first] : [first, { role: 'system', content: contentOf({ content: rest }).text }];
}

function messagesOf(message: WireMessage): readonly ChatMessage[] {
  if (message.role === 'system' || message.role === 'developer') return systemOf(message);
  const read = contentOf(message);
  const { text: content } = read;
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content, ...imagesOf(read) }];
    case 'tool':
      return [{ role: 'tool', toolCallId: message.tool_call_id ?? '', content, ...imagesOf(read) }];
    case 'assistant':
      return [assistantOf(message, content)];
    default:
      return message.role satisfies never;
  }
}

const nameOfTool = (tool: NamedTool): string => (tool.type === 'custom' ? tool.custom.name : tool.function.name);

function toolOf(tool: ChatTool): ToolDefinition {
  if (tool.type === 'custom') return functionOfCustom(tool.custom);
  const { name, description, parameters, strict } = tool.function;
  return {
    name,
    description: description ?? '',
    parameters: parameters ?? { type: 'object', properties: {} },
    ...(strict === true ? { strict } : {}),
  };
}

type Format = NonNullable<ChatCompletionBody['response_format']>;
type JsonFormat = Extract<Format, { readonly type: 'json_schema' }>['json_schema'];
type Choice = NonNullable<ChatCompletionBody['tool_choice']>;

function choiceOf(choice: Choice): ToolChoice {
  if (typeof choice === 'string') return choice;
  return choice.type === 'allowed_tools' ? choice.allowed_tools.mode : { name: nameOfTool(choice) };
}

/** The tools that `allowed_tools` names: the model sees no others. */
function allowedOf(tools: readonly ChatTool[], choice: Choice | null): readonly ChatTool[] {
  if (choice === null || typeof choice === 'string' || choice.type !== 'allowed_tools') return tools;
  const allowed = new Set(choice.allowed_tools.tools.map(nameOfTool));
  return tools.filter((tool) => allowed.has(nameOfTool(tool)));
}

function toolsOf(body: ChatCompletionBody): Pick<ChatRequest, 'tools' | 'toolChoice' | 'parallelToolCalls'> {
  const { tools, tool_choice: choice, parallel_tool_calls: parallel } = body;
  const offered = allowedOf(tools ?? [], choice ?? null);
  if (offered.length === 0) return {};
  return {
    tools: offered.map(toolOf),
    toolChoice: choice === null || choice === undefined ? undefined : choiceOf(choice),
    parallelToolCalls: parallel ?? undefined,
  };
}

function schemaOf({ name, schema, strict }: JsonFormat): ResponseSchema {
  return { name, schema, strict: strict ?? undefined };
}

function formatOf({ response_format: format }: ChatCompletionBody): Pick<ChatRequest, 'responseSchema' | 'jsonObject'> {
  switch (format?.type) {
    case 'json_schema':
      return { responseSchema: schemaOf(format.json_schema) };
    case 'json_object':
      return { jsonObject: true };
    case 'text':
    case undefined:
      return {};
    default:
      return format satisfies never;
  }
}

/** Fields that some providers have: an adapter refuses one by name if its provider lacks it. */
function extraOf(body: ChatCompletionBody): Pick<ChatRequest, 'extra'> {
  const given = EXTRA_FIELDS.filter((field) => body[field] !== null && body[field] !== undefined);
  return given.length === 0 ? {} : { extra: Object.fromEntries(given.map((field) => [field, body[field]])) };
}

/** A body in OpenAI's format as a request to a model. Pure. */
export function chatRequestOf(body: ChatCompletionBody): ChatRequest {
  const { messages, temperature, seed, stop } = body;
  return {
    messages: messages.flatMap(messagesOf),
    ...toolsOf(body),
    ...formatOf(body),
    ...extraOf(body),
    temperature: temperature ?? undefined,
    seed: seed ?? undefined,
    stop: typeof stop === 'string' ? [stop] : (stop ?? []),
  };
}
