import type OpenAI from 'openai';
import { ModelFault } from '../../chat/model-error.ts';
import { faultIn } from '../../chat/model-error.ts';
import type { ChatAdapter } from '../../chat/model.ts';
import { providerFetch } from '../../transport/provider-exchange.ts';
import type { AdapterKit } from '../../transport/provider-exchange.ts';
import type { Fetch, ServerAnswer } from '../../transport/server-answer.ts';
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
async function openClient(server: OpenAiServer, kit: AdapterKit, fetch: typeof globalThis.fetch): Promise<OpenAI> {
  const { default: Client } = await import('openai');
  return new Client({
    baseURL: server.baseUrl,
    apiKey: server.apiKey,
    adminAPIKey: null,
    webhookSecret: null,
    organization: server.organization ?? null,
    project: server.project ?? null,
    defaultHeaders: server.profile.headers,
    fetch,
    // `decideNext` decides about retries for all providers, and an adapter never logs.
    maxRetries: 0,
    timeout: kit.limits.totalMs,
    logLevel: 'off',
  });
}

/**
 * The fetch of one request of the client. The client sees the head of the answer alone: the reader of all Chat
 * Completions reads the body, and so no piece of it passes through web streams.
 */
function clientFetch(send: Fetch, keep: (answer: ServerAnswer) => void, signal: AbortSignal): typeof globalThis.fetch {
  return async (url, { method = 'POST', headers, body } = {}) => {
    if (typeof body !== 'string') throw new TypeError("OpenAI's client sent a body that is no text");
    const own = Object.fromEntries(new Headers(headers));
    const answer = await send(String(url), { method, headers: own, body, redirect: 'manual', signal });
    keep(answer);
    return new Response(null, { status: answer.status });
  };
}

/**
 * The adapter of OpenAI. OpenAI's own client sends a request; the reader that all Chat Completions share reads the
 * answer.
 */
export function createOpenAiAdapter(server: OpenAiServer, kit: AdapterKit): ChatAdapter {
  return chatCompletionsAdapter(server, kit, async (body, { stream, signal }) => {
    let answer: ServerAnswer | null = null;
    const keep = (given: ServerAnswer): void => {
      answer = given;
    };
    const client = await openClient(server, kit, clientFetch(providerFetch(kit, stream), keep, signal));
    try {
      await client.post('/chat/completions', { body, stream, signal }).asResponse();
      if (answer === null) throw new ModelFault('network', "OpenAI's client sent no request");
      return answer;
    } catch (thrown) {
      const fault = faultIn(thrown);
      if (fault !== null || signal.aborted) throw fault ?? thrown;
      throw new ModelFault('network', `OpenAI's client failed: ${thrown instanceof Error ? thrown.message : ''}`);
    }
  });
}
