import type {
  ChatCompletionBody,
  ChatTool,
  ChatToolCall,
  ChatMessage as WireMessage,
  NamedTool,
} from '@hamlet/contract';
import type { ChatMessage, ChatRequest, ReasoningItem, ToolCall, ToolChoice, ToolDefinition } from '@hamlet/models';
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

function messageOf(message: WireMessage): ChatMessage {
  const read = contentOf(message);
  const { text: content } = read;
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content };
    case 'user':
      return { role: 'user', content, ...imagesOf(read) };
    case 'tool':
      return { role: 'tool', toolCallId: message.tool_call_id ?? '', content, ...imagesOf(read) };
    case 'assistant':
      return assistantOf(message, content);
    default:
      return message.role satisfies never;
  }
}

export const nameOfTool = (tool: NamedTool): string => (tool.type === 'custom' ? tool.custom.name : tool.function.name);

function toolOf(tool: ChatTool): ToolDefinition {
  if (tool.type === 'custom') return functionOfCustom(tool.custom);
  const { name, description, parameters } = tool.function;
  return {
    name,
    description: description ?? '',
    parameters: parameters ?? { type: 'object', properties: {} },
  };
}

type Choice = NonNullable<ChatCompletionBody['tool_choice']>;

function choiceOf(choice: Choice): ToolChoice {
  if (typeof choice === 'string') return choice;
  return choice.type === 'allowed_tools' ? choice.allowed_tools.mode : { name: nameOfTool(choice) };
}

/** Of the tools, those that `allowed_tools` names: the model sees no others. */
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

function formatOf({ response_format: format }: ChatCompletionBody): Pick<ChatRequest, 'responseSchema' | 'jsonObject'> {
  switch (format?.type) {
    case 'json_schema':
      return { responseSchema: { name: format.json_schema.name, schema: format.json_schema.schema } };
    case 'json_object':
      return { jsonObject: true };
    case 'text':
    case undefined:
      return {};
    default:
      return format satisfies never;
  }
}

/** Fields that a provider takes under the same name, with the values that mean the same as no field. */
const EXTRA = {
  top_p: [1],
  frequency_penalty: [0],
  presence_penalty: [0],
  logit_bias: [],
  reasoning_effort: [],
  verbosity: [],
  service_tier: ['auto', 'default'],
} as const satisfies { readonly [F in keyof ChatCompletionBody]?: readonly unknown[] };

function extraOf(body: ChatCompletionBody): Pick<ChatRequest, 'extra'> {
  const given = Object.entries(EXTRA).flatMap(([field, usual]: readonly [string, readonly unknown[]]) => {
    const value = body[field];
    return value === null || value === undefined || usual.includes(value) ? [] : [[field, value] as const];
  });
  return given.length === 0 ? {} : { extra: Object.fromEntries(given) };
}

/** One system message in place of those at the beginning: some chat templates refuse a second one. */
function joinFirst(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const others = messages.findIndex(({ role }) => role !== 'system');
  const count = others < 0 ? messages.length : others;
  if (count < 2) return messages;
  const content = messages
    .slice(0, count)
    .map((message) => message.content)
    .join('\n\n');
  return [{ role: 'system', content }, ...messages.slice(count)];
}

/** A body in OpenAI's format as a request to a model. Pure. */
export function chatRequestOf(body: ChatCompletionBody): ChatRequest {
  const { messages, temperature, seed, stop } = body;
  return {
    messages: joinFirst(messages.map(messageOf)),
    ...toolsOf(body),
    ...formatOf(body),
    ...extraOf(body),
    temperature: temperature ?? undefined,
    seed: seed ?? undefined,
    stop: typeof stop === 'string' ? [stop] : (stop ?? []),
  };
}
