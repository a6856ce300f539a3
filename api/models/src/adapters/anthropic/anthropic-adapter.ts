import type { AdapterDelta } from '../../chat/chat-delta.ts';
import { faultIn } from '../../chat/model-error.ts';
import type { ChatAdapter } from '../../chat/model.ts';
import { bodyOf, endpoint, jsonOf, postJson } from '../../transport/provider-exchange.ts';
import type { AdapterKit } from '../../transport/provider-exchange.ts';
import type { ServerAnswer } from '../../transport/server-answer.ts';
import { parseJson, serverEvents } from '../../transport/text-lines.ts';
import { anthropicBody } from './anthropic-body.ts';
import { AnthropicEventReader, readMessage } from './anthropic-reply.ts';

const API_VERSION = '2023-06-01';

export interface AnthropicServer {
  readonly provider: string;
  readonly baseUrl: string;
  readonly apiKey: string;
}

async function* readStream(answer: ServerAnswer, nowMs: () => number): AsyncGenerator<AdapterDelta> {
  const reader = new AnthropicEventReader(nowMs);
  try {
    for await (const { data } of serverEvents(bodyOf(answer))) {
      for (const delta of reader.read(parseJson(data))) yield delta;
      if (reader.isEnded) break;
    }
  } catch (thrown) {
    // The finish reason has arrived with the usage: nothing is missing.
    if (faultIn(thrown)?.code !== 'network' || !reader.isFinished) throw thrown;
  }
  yield reader.end();
}

/** The adapter of Anthropic's Messages API. It leaves out `seed`, and honours all other fields. */
export function createAnthropicAdapter({ provider, baseUrl, apiKey }: AnthropicServer, kit: AdapterKit): ChatAdapter {
  const headers = { 'x-api-key': apiKey, 'anthropic-version': API_VERSION };
  const url = endpoint(baseUrl, 'messages');
  return {
    provider,
    secrets: () => [apiKey],
    async *ask(call) {
      const { stream, signal } = call;
      const answer = await postJson(kit, { url, headers, body: anthropicBody(call), stream, signal });
      if (stream) yield* readStream(answer, kit.ports.nowMs);
      else yield* readMessage(await jsonOf(answer), kit.ports.nowMs());
    },
  };
}
