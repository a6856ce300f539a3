import type { ChatMessage, ChatRequest, ToolChoice } from '../../chat/chat-request.ts';
import type { AdapterCall } from '../../chat/model.ts';
import type { ChatProfile } from './chat-profile.ts';

function wireMessage(message: ChatMessage): object {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
    case 'assistant': {
      const calls = message.toolCalls ?? [];
      if (calls.length === 0) return { role: 'assistant', content: message.content };
      return {
        role: 'assistant',
        content: message.content === '' ? null : message.content,
        tool_calls: calls.map(({ id, name, arguments: text }) => ({
          id,
          type: 'function',
          function: { name, arguments: text },
        })),
      };
    }
    default:
      return message satisfies never;
  }
}

function wireChoice(choice: ToolChoice): unknown {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } };
}

function toolFields({ tools = [], toolChoice, parallelToolCalls }: ChatRequest): object {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters },
    })),
    ...(toolChoice === undefined ? {} : { tool_choice: wireChoice(toolChoice) }),
    ...(parallelToolCalls === undefined ? {} : { parallel_tool_calls: parallelToolCalls }),
  };
}

function formatFields({ responseSchema: schema, jsonObject }: ChatRequest): object {
  if (schema !== undefined)
    return {
      response_format: {
        type: 'json_schema',
        json_schema: { name: schema.name, schema: schema.schema, strict: true },
      },
    };
  return jsonObject === true ? { response_format: { type: 'json_object' } } : {};
}

function answerFields(request: ChatRequest, limitField: string): object {
  const { maxTokens, temperature, stop, seed, metadata } = request;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { [limitField]: maxTokens }),
    ...(stop === undefined || stop.length === 0 ? {} : { stop }),
    ...(seed === undefined ? {} : { seed }),
    ...(metadata === undefined ? {} : { metadata }),
    ...formatFields(request),
  };
}

export function chatBody({ request, model, stream }: AdapterCall, profile: ChatProfile): Record<string, unknown> {
  const body = {
    model,
    messages: request.messages.map(wireMessage),
    stream,
    ...(stream && profile.streamUsage ? { stream_options: { include_usage: true } } : {}),
    ...toolFields(request),
    ...answerFields(request, profile.limitField),
    ...profile.extra,
  };
  return Object.fromEntries(Object.entries(body).filter(([field]) => !profile.omit.includes(field)));
}
