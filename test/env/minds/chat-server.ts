/** Models for tests behind OpenAI's wire. An answer depends on its request alone, because a request may be repeated. */
import { OPENAI_WIRE, startWireServer } from '@hamlet/models/testing';
import type { ScriptedAnswer, WireAnswer, WireRequest, WireServer } from '@hamlet/models/testing';
import { personsWords } from './persons-words.ts';

export interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly object[];
}

/** A request to the model. */
export interface Chat {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly Message[];
  readonly tools?: readonly object[];
  readonly response_format?: {
    readonly type: string;
    readonly json_schema: {
      readonly schema: { readonly properties: { readonly option?: { readonly enum: string[] } } };
    };
  };
}

/** The content of the newest message with this role, of a person only their own words; empty if there is none. */
export const textOf = ({ messages }: Pick<Chat, 'messages'>, role: string): string =>
  personsWords(messages.findLast((each) => each.role === role)?.content ?? '');

/** The decision of an agent to do nothing. */
export const STAY: ScriptedAnswer = {
  text: [JSON.stringify({ option: 'stay', text: null, title: null, why: 'I wait', purpose: '', plan: null })],
};

/** Answers chats, and lists `model`. Null for any other request. */
export function answerChat(
  { method, path, body }: WireRequest,
  answer: (chat: Chat) => ScriptedAnswer,
  model = 'up-model',
): WireAnswer | null {
  if (method === 'GET' && path === '/v1/models')
    return { chunks: [JSON.stringify({ object: 'list', data: [{ id: model, object: 'model' }] })] };
  if (path !== '/v1/chat/completions') return null;
  const chat = body as Chat;
  return chat.stream === true ? OPENAI_WIRE.stream(answer(chat)) : OPENAI_WIRE.plain(answer(chat));
}

export const startChatServer = (answer: (chat: Chat) => ScriptedAnswer, model?: string): Promise<WireServer> =>
  startWireServer([], { otherwise: (request) => answerChat(request, answer, model) });
