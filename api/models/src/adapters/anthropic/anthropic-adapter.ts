import type { ChatAdapter } from '../../chat/model.ts';
import type { AdapterKit } from '../../transport/provider-exchange.ts';
import { jsonAdapter, readAnswer, type ModelServer } from '../json-adapter.ts';
import { anthropicBody } from './anthropic-body.ts';
import { AnthropicReader } from './anthropic-reply.ts';

const API_VERSION = '2023-06-01';

/** The adapter of Anthropic's Messages API. It omits `seed` and supports all other fields. */
export function createAnthropicAdapter(
  server: ModelServer & { readonly apiKey: string },
  kit: AdapterKit,
): ChatAdapter {
  return jsonAdapter(
    server,
    {
      path: 'messages',
      headers: { 'x-api-key': server.apiKey, 'anthropic-version': API_VERSION },
      body: anthropicBody,
      read: (send) => readAnswer(send, new AnthropicReader(kit.ports.nowMs)),
    },
    kit,
  );
}
