import { z } from 'zod';
import type { ChatMessage, ChatRequest, ReasoningItem, ToolChoice } from '../../chat/chat-request.ts';
import { extraFieldsFor } from '../../chat/extra-fields.ts';
import { dataUrl, moveResultImages } from '../../chat/image-text.ts';
import type { AdapterCall } from '../../chat/model.ts';
import { wellFormedJson } from '../../transport/json-text.ts';
import { CALL_EXTRAS, openedSeal, REASONING_DETAILS, sealedTypeOf, THINKING_PART } from '../sealed-thought.ts';
import type { ChatProfile } from './chat-profile.ts';

type UserMessage = Extract<ChatMessage, { readonly role: 'user' }>;
type AssistantMessage = Extract<ChatMessage, { readonly role: 'assistant' }>;

function userContent({ content, images = [] }: UserMessage): unknown {
  if (images.length === 0) return content;
  const pictures = images.map((image) => ({ type: 'image_url', image_url: { url: dataUrl(image) } }));
  return [...(content === '' ? [] : [{ type: 'text', text: content }]), ...pictures];
}

/** The thoughts of an assistant message in the fields that the server reads. */
function thoughtFields({ reasoning = [] }: AssistantMessage, profile: ChatProfile): object {
  if (reasoning.length === 0) return {};
  const words = reasoning.map(({ text }) => text).join('');
  const fields = profile.thoughtFields.filter((field) => !profile.omit.includes(field));
  const isPart = reasoning.some((item) => sealedTypeOf(item) === THINKING_PART);
  const texts = words === '' || isPart ? [] : fields.map((field) => [field, words] as const);
  return { ...Object.fromEntries(texts), ...sealField(reasoning, profile) };
}

function sealField(reasoning: readonly ReasoningItem[], { sealField: field }: ChatProfile): object {
  if (field === 'reasoning_items')
    return reasoning.some(({ sealed }) => sealed !== null) ? { reasoning_items: reasoning } : {};
  if (field === null) return {};
  const details = reasoning.flatMap((item) => openedSeal(item, REASONING_DETAILS)?.['details'] ?? []);
  return details.length === 0 ? {} : { reasoning_details: details };
}

/** The text, after the thoughts of a server that writes both as parts. */
function assistantContent({ content, toolCalls = [], reasoning = [] }: AssistantMessage): unknown {
  const thoughts = reasoning.filter((item) => sealedTypeOf(item) === THINKING_PART);
  if (thoughts.length === 0) return content === '' && toolCalls.length > 0 ? null : content;
  const parts = thoughts.map(({ text }) => ({ type: 'thinking', thinking: [{ type: 'text', text }] }));
  return [...parts, ...(content === '' ? [] : [{ type: 'text', text: content }])];
}

const Extra = z.object({ id: z.string(), extra_content: z.looseObject({}) });

const NO_EXTRAS: ReadonlyMap<string, object> = new Map();

/** The contents that the provider attached to the calls of a message, by the ids of the calls. */
function callExtras({ reasoning = [] }: AssistantMessage): ReadonlyMap<string, object> {
  if (reasoning.length === 0) return NO_EXTRAS;
  const given = reasoning.flatMap((item) => openedSeal(item, CALL_EXTRAS)?.['extras'] ?? []);
  const extras = given.map((extra) => Extra.safeParse(extra).data).filter((extra) => extra !== undefined);
  return new Map(extras.map(({ id, extra_content }) => [id, { extra_content }]));
}

function wireMessage(message: ChatMessage, profile: ChatProfile): object {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content };
    case 'user':
      return { role: 'user', content: userContent(message) };
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
    case 'assistant': {
      const extras = callExtras(message);
      const calls = (message.toolCalls ?? []).map(({ id, name, arguments: text }) => ({
        id,
        type: 'function',
        function: { name, arguments: wellFormedJson(text) },
        ...extras.get(id),
      }));
      return {
        role: 'assistant',
        content: assistantContent(message),
        ...thoughtFields(message, profile),
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
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
    tools: tools.map(({ name, description, parameters, strict }) => ({
      type: 'function',
      function: { name, description, parameters, ...(strict === undefined ? {} : { strict }) },
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
        json_schema: { name: schema.name, schema: schema.schema, strict: schema.strict ?? true },
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
    messages: moveResultImages(request.messages).map((message) => wireMessage(message, profile)),
    stream,
    ...(stream && profile.streamUsage ? { stream_options: { include_usage: true } } : {}),
    ...toolFields(request),
    ...answerFields(request, profile.limitField),
    ...extraFieldsFor(profile.fields, request.extra),
    ...profile.extra,
  };
  return Object.fromEntries(Object.entries(body).filter(([field]) => !profile.omit.includes(field)));
}
