import type { ChatMessage, ChatRequest } from './chat-request.ts';

const callsOf = (messages: readonly ChatMessage[]) =>
  messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));

/** True if the conversation has calls of tools that the request does not define. */
export const lacksTools = ({ messages, tools = [] }: ChatRequest): boolean =>
  tools.length === 0 && callsOf(messages).length > 0;

/**
 * The request with definitions of the tools that its conversation called, and without leave to call them: some providers
 * refuse calls and results of tools that a request does not define. Unchanged if the request has tools. Pure.
 */
export function withCalledTools(request: ChatRequest): ChatRequest {
  if (!lacksTools(request)) return request;
  const names = new Set(callsOf(request.messages).map(({ name }) => name));
  const tools = [...names].map((name) => ({
    name,
    description: 'A tool of earlier turns, which cannot be called now.',
    parameters: { type: 'object', properties: {} },
  }));
  return { ...request, tools, toolChoice: 'none' };
}

/** Mistral takes ids of this form alone. Every other provider takes them too. */
const PLAIN_ID = /^[A-Za-z0-9]{9}$/;

export const hasOtherIds = ({ messages }: ChatRequest): boolean =>
  callsOf(messages).some(({ id }) => !PLAIN_ID.test(id));

/** The request with ids of nine letters and digits, numbered by their first calls. Pure. */
export function withPlainIds(request: ChatRequest): ChatRequest {
  const known = [...new Set(callsOf(request.messages).map(({ id }) => id))];
  const ids = new Map(known.map((id, at) => [id, `c${String(at).padStart(8, '0')}`]));
  const plain = (id: string): string => ids.get(id) ?? id;
  const messages = request.messages.map((message): ChatMessage => {
    if (message.role === 'tool') return { ...message, toolCallId: plain(message.toolCallId) };
    if (message.role !== 'assistant' || message.toolCalls === undefined) return message;
    return { ...message, toolCalls: message.toolCalls.map((call) => ({ ...call, id: plain(call.id) })) };
  });
  return { ...request, messages };
}
