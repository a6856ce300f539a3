import type { ChatAdapter } from '../../chat/model.ts';
import { bearer, type AdapterKit } from '../../transport/provider-exchange.ts';
import { jsonAdapter, readAnswer, type ModelServer } from '../json-adapter.ts';
import { chatBody } from './chat-body.ts';
import type { ChatProfile } from './chat-profile.ts';
import { ChatReplyReader } from './chat-reply.ts';

export interface ChatServer extends ModelServer {
  readonly profile: ChatProfile;
}

/** The adapter of OpenAI, OpenRouter, vLLM and every server that speaks OpenAI's Chat Completions. */
export function createChatAdapter(server: ChatServer, kit: AdapterKit): ChatAdapter {
  const { apiKey, profile } = server;
  return jsonAdapter(
    server,
    {
      path: 'chat/completions',
      headers: { ...profile.headers, ...bearer(apiKey) },
      body: (call) => chatBody(call, profile),
      read: (send) => readAnswer(send, new ChatReplyReader(kit.ports.nowMs)),
    },
    kit,
  );
}
