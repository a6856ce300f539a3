import type { AdapterDelta } from '../../chat/chat-delta.ts';
import { faultIn } from '../../chat/model-error.ts';
import type { AdapterCall, ChatAdapter } from '../../chat/model.ts';
import { bearer, bodyOf, endpoint, jsonOf, postJson } from '../../transport/provider-exchange.ts';
import type { AdapterKit } from '../../transport/provider-exchange.ts';
import type { ServerAnswer } from '../../transport/server-answer.ts';
import { parseJson, serverEvents } from '../../transport/text-lines.ts';
import { chatBody } from './chat-body.ts';
import type { ChatProfile } from './chat-profile.ts';
import { ChatReplyReader } from './chat-reply.ts';

export type ChatSender = (body: Record<string, unknown>, call: AdapterCall) => Promise<ServerAnswer>;

export interface ChatServer {
  readonly provider: string;
  /** The address up to and including `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly profile: ChatProfile;
}

async function* readStream(answer: ServerAnswer, reader: ChatReplyReader): AsyncGenerator<AdapterDelta> {
  try {
    for await (const { data } of serverEvents(bodyOf(answer))) {
      if (data === '[DONE]') break;
      for (const delta of reader.read(parseJson(data))) yield delta;
    }
  } catch (thrown) {
    // The finish reason has arrived: a later cut loses only the usage, which is then estimated.
    if (faultIn(thrown)?.code !== 'network' || !reader.isFinished) throw thrown;
  }
  yield reader.end();
}

export function chatCompletionsAdapter(
  server: Omit<ChatServer, 'baseUrl'>,
  kit: AdapterKit,
  send: ChatSender,
): ChatAdapter {
  return {
    provider: server.provider,
    secrets: () => (server.apiKey === null ? [] : [server.apiKey]),
    async *ask(call) {
      const answer = await send(chatBody(call, server.profile), call);
      const reader = new ChatReplyReader(kit.ports.nowMs);
      if (call.stream) {
        yield* readStream(answer, reader);
        return;
      }
      yield* reader.read(await jsonOf(answer));
      yield reader.end();
    },
  };
}

/** The adapter of OpenRouter, vLLM and every server that speaks OpenAI's Chat Completions. */
export function createChatAdapter(server: ChatServer, kit: AdapterKit): ChatAdapter {
  const { baseUrl, apiKey, profile } = server;
  const headers = { ...profile.headers, ...bearer(apiKey) };
  return chatCompletionsAdapter(server, kit, (body, { stream, signal }) =>
    postJson(kit, { url: endpoint(baseUrl, 'chat/completions'), headers, body, stream, signal }),
  );
}
