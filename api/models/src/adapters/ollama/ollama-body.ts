import type { ChatMessage, ChatRequest } from '../../chat/chat-request.ts';
import { ModelFault } from '../../chat/model-error.ts';
import type { AdapterCall } from '../../chat/model.ts';
import { objectOf } from '../../transport/parse-reply.ts';

/** The names of the tools by call id: Ollama pairs a result with its call by the name of the tool. */
function toolNames(messages: readonly ChatMessage[]): ReadonlyMap<string, string> {
  return new Map(
    messages.flatMap((message) =>
      message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id, name }) => [id, name] as const) : [],
    ),
  );
}

function wireMessage(message: ChatMessage, names: ReadonlyMap<string, string>): object {
  const { role, content } = message;
  if (role === 'tool') return { role, content, tool_name: names.get(message.toolCallId) ?? '' };
  const calls = role === 'assistant' ? (message.toolCalls ?? []) : [];
  if (calls.length === 0) return { role, content };
  return {
    role,
    content,
    tool_calls: calls.map((call) => ({ function: { name: call.name, arguments: objectOf(call) } })),
  };
}

function toolFields({ tools = [], toolChoice = 'auto' }: ChatRequest): object {
  if (tools.length === 0 || toolChoice === 'none') return {};
  if (toolChoice !== 'auto')
    throw new ModelFault('bad_request', 'Ollama cannot force a tool call: use the tool choice auto or none');
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters },
    })),
  };
}

function formatFields({ responseSchema, jsonObject }: ChatRequest): object {
  if (responseSchema !== undefined) return { format: responseSchema.schema };
  return jsonObject === true ? { format: 'json' } : {};
}

function optionsOf({ temperature, maxTokens, seed, stop }: ChatRequest): object {
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { num_predict: maxTokens }),
    ...(seed === undefined ? {} : { seed }),
    ...(stop === undefined || stop.length === 0 ? {} : { stop }),
  };
}

/** The body of a request to `/api/chat`. Omits `parallelToolCalls`, because the API cannot limit parallel calls. Pure. */
export function ollamaBody({ request, model, stream }: AdapterCall): Record<string, unknown> {
  const names = toolNames(request.messages);
  const options = optionsOf(request);
  return {
    model,
    messages: request.messages.map((message) => wireMessage(message, names)),
    stream,
    ...toolFields(request),
    ...formatFields(request),
    ...(Object.keys(options).length === 0 ? {} : { options }),
  };
}
