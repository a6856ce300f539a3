import type { ChatMessage, ChatRequest } from '../../chat/chat-request.ts';
import { effortOf, extraFieldsFor, type ExtraField } from '../../chat/extra-fields.ts';
import { moveResultImages } from '../../chat/image-text.ts';
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

type AssistantMessage = Extract<ChatMessage, { readonly role: 'assistant' }>;

function assistantMessage({ role, content, reasoning = [], toolCalls = [] }: AssistantMessage): object {
  const thinking = reasoning.map(({ text }) => text).join('');
  const calls = toolCalls.map((call) => ({ function: { name: call.name, arguments: objectOf(call) } }));
  return {
    role,
    content,
    ...(thinking === '' ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function wireMessage(message: ChatMessage, names: ReadonlyMap<string, string>): object {
  const { role, content } = message;
  if (role === 'tool') return { role, content, tool_name: names.get(message.toolCallId) ?? '' };
  if (role === 'assistant') return assistantMessage(message);
  const images = role === 'user' ? (message.images ?? []).map(({ data }) => data) : [];
  return images.length === 0 ? { role, content } : { role, content, images };
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

const FIELDS: readonly ExtraField[] = ['top_p', 'top_k', 'presence_penalty', 'frequency_penalty', 'reasoning_effort'];

/** Models that cannot choose how much they think take any effort as a yes. */
function thinkFields({ extra = {} }: ChatRequest): object {
  const effort = effortOf(extra);
  return effort === undefined ? {} : { think: effort ?? false };
}

function optionsOf(request: ChatRequest, contextTokens: number | undefined): object {
  const { temperature, maxTokens, seed, stop } = request;
  const { reasoning_effort: _effort, ...sampling } = extraFieldsFor(FIELDS, request.extra);
  return {
    ...sampling,
    // By default Ollama loads a model with a small context, and drops the beginning of a longer prompt.
    ...(contextTokens === undefined ? {} : { num_ctx: contextTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { num_predict: maxTokens }),
    ...(seed === undefined ? {} : { seed }),
    ...(stop === undefined || stop.length === 0 ? {} : { stop }),
  };
}

/** The body of a request to `/api/chat`. Omits `parallelToolCalls`, because the API cannot limit parallel calls. Pure. */
export function ollamaBody({ request, model, stream, contextTokens }: AdapterCall): Record<string, unknown> {
  const names = toolNames(request.messages);
  const options = optionsOf(request, contextTokens);
  return {
    model,
    messages: moveResultImages(request.messages).map((message) => wireMessage(message, names)),
    stream,
    // A prompt that does not fit is refused instead of cut.
    truncate: false,
    ...toolFields(request),
    ...formatFields(request),
    ...thinkFields(request),
    ...(Object.keys(options).length === 0 ? {} : { options }),
  };
}
