import type OpenAI from 'openai';
import { ModelFault } from '../../chat/model-error.ts';
import { faultIn } from '../../chat/model-error.ts';
import type { ChatAdapter } from '../../chat/model.ts';
import { providerFetch } from '../../transport/provider-exchange.ts';
import type { AdapterKit } from '../../transport/provider-exchange.ts';
import { chatCompletionsAdapter } from './chat-adapter.ts';
import type { ChatServer } from './chat-adapter.ts';

export interface OpenAiServer extends ChatServer {
  readonly apiKey: string;
  readonly organization?: string | undefined;
  readonly project?: string | undefined;
}

/**
 * Loads OpenAI's client at the first request: it takes about 36 MB. The options set everything that the client would
 * otherwise read from the environment.
 */
async function openClient(server: OpenAiServer, kit: AdapterKit, stream: boolean): Promise<OpenAI> {
  const { default: Client } = await import('openai');
  return new Client({
    baseURL: server.baseUrl,
    apiKey: server.apiKey,
    adminAPIKey: null,
    webhookSecret: null,
    organization: server.organization ?? null,
    project: server.project ?? null,
    defaultHeaders: server.profile.headers,
    fetch: providerFetch(kit, stream),
    // `decideNext` decides about retries for all providers, and an adapter never logs.
    maxRetries: 0,
    timeout: kit.limits.totalMs,
    logLevel: 'off',
  });
}

/**
 * The adapter of OpenAI. OpenAI's own client sends a request; the reader that all Chat Completions share reads the
 * answer.
 */
export function createOpenAiAdapter(server: OpenAiServer, kit: AdapterKit): ChatAdapter {
  return chatCompletionsAdapter(server, kit, async (body, { stream, signal }) => {
    const client = await openClient(server, kit, stream);
    try {
      return await client.post('/chat/completions', { body, stream, signal }).asResponse();
    } catch (thrown) {
      const fault = faultIn(thrown);
      if (fault !== null || signal.aborted) throw fault ?? thrown;
      throw new ModelFault('network', `OpenAI's client failed: ${thrown instanceof Error ? thrown.message : ''}`);
    }
  });
}
