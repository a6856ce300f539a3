import type { ChatCompletionBody, ChatMessage as WireMessage } from '@hamlet/contract';
import type { ChatMessage, ChatRequest, ToolChoice } from '@hamlet/models';

function textOf({ content }: WireMessage): string {
  if (content === null || content === undefined) return '';
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('');
}

function messageOf(message: WireMessage): ChatMessage {
  const content = textOf(message);
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content };
    case 'user':
      return { role: 'user', content };
    case 'tool':
      return { role: 'tool', toolCallId: message.tool_call_id ?? '', content };
    case 'assistant': {
      const toolCalls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: text } }) => ({
        id,
        name,
        arguments: text,
      }));
      return { role: 'assistant', content, ...(toolCalls.length === 0 ? {} : { toolCalls }) };
    }
    default:
      return message.role satisfies never;
  }
}

function choiceOf(choice: NonNullable<ChatCompletionBody['tool_choice']>): ToolChoice {
  return typeof choice === 'string' ? choice : { name: choice.function.name };
}

function toolsOf(body: ChatCompletionBody): Pick<ChatRequest, 'tools' | 'toolChoice' | 'parallelToolCalls'> {
  const { tools, tool_choice: choice, parallel_tool_calls: parallel } = body;
  if (tools === null || tools === undefined || tools.length === 0) return {};
  return {
    tools: tools.map(({ function: { name, description, parameters } }) => ({
      name,
      description: description ?? '',
      parameters: parameters ?? { type: 'object', properties: {} },
    })),
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

export function chatRequestOf(body: ChatCompletionBody): ChatRequest {
  const { messages, temperature, seed, stop } = body;
  return {
    messages: messages.map(messageOf),
    ...toolsOf(body),
    ...formatOf(body),
    temperature: temperature ?? undefined,
    seed: seed ?? undefined,
    stop: typeof stop === 'string' ? [stop] : (stop ?? []),
  };
}
