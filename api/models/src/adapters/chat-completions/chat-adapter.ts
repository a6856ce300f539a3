import type { AdapterDelta } from '../../chat/chat-delta.ts';
import { faultIn } from '../../chat/model-error.ts';
import type { AdapterCall, ChatAdapter } from '../../chat/model.ts';
import { bearer, endpoint, jsonOf, linesOf, postJson } from '../../transport/provider-exchange.ts';
import type { AdapterKit } from '../../transport/provider-exchange.ts';
import { parseJson, serverEvents } from '../../transport/text-lines.ts';
import { chatBody } from './chat-body.ts';
import type { ChatProfile } from './chat-profile.ts';
import { ChatReplyReader } from './chat-reply.ts';

/** Sends a body to `/chat/completions`. */
export type ChatSender = (body: Record<string, unknown>, call: AdapterCall) => Promise<Response>;

export interface ChatServer {
  readonly provider: string;
  /** The address up to and including `/v1`. */
  readonly baseUrl: string;
  /** Null for a server without a key. */
  readonly apiKey: string | null;
  readonly profile: ChatProfile;
}

async function* chunksOf(response: Response): AsyncGenerator<unknown> {
  for await (const { data } of serverEvents(linesOf(response))) {
    if (data === '[DONE]') return;
    yield parseJson(data);
  }
}

async function* readStream(response: Response, reader: ChatReplyReader): AsyncGenerator<AdapterDelta> {
  try {
    for await (const chunk of chunksOf(response)) yield* reader.read(chunk);
  } catch (thrown) {
    // The finish reason has arrived: a later cut loses only the usage, which is then estimated.
    if (faultIn(thrown)?.code !== 'network' || !reader.isFinished) throw thrown;
  }
  yield reader.end();
}

/** An adapter over any way to send a body to `/chat/completions`. */
export function chatCompletionsAdapter(
  server: Omit<ChatServer, 'baseUrl'>,
  kit: AdapterKit,
  send: ChatSender,
): ChatAdapter {
  return {
    provider: server.provider,
    secrets: () => (server.apiKey === null ? [] : [server.apiKey]),
    async *ask(call) {
      const response = await send(chatBody(call, server.profile), call);
      const reader = new ChatReplyReader(kit.ports.nowMs);
      if (call.stream) {
        yield* readStream(response, reader);
        return;
      }
      yield* reader.read(await jsonOf(response));
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
