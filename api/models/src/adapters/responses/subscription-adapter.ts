import { faultIn } from '../../chat/model-error.ts';
import type { AdapterCall, ChatAdapter } from '../../chat/model.ts';
import { endpoint, postJson, type AdapterKit } from '../../transport/provider-exchange.ts';
import type { ServerAnswer } from '../../transport/server-answer.ts';
import { readAnswer } from '../json-adapter.ts';
import { responsesBody } from './responses-body.ts';
import { ResponsesReader } from './responses-reply.ts';
import type { OAuthTokens } from './oauth-requests.ts';
import type { SubscriptionTokens } from './subscription-tokens.ts';

/** A person must read and accept this before a village uses a subscription. */
export const SUBSCRIPTION_NOTICE =
  'This provider uses the ChatGPT subscription of one person through an interface that OpenAI does not document for other programs. ' +
  'OpenAI may change or close it at any time, may limit it, and its terms may not allow this use or use by several people. ' +
  'The conversations of your agents go to that account. Use an API key instead unless you have checked the terms.';

interface SubscriptionServer {
  readonly provider: string;
  /** The address up to the path `/responses`. */
  readonly baseUrl: string;
  readonly tokens: SubscriptionTokens;
}

const HEADERS = { accept: 'text/event-stream', 'openai-beta': 'responses=experimental', originator: 'hamlet' };

/**
 * The adapter of an OpenAI subscription: the Responses API with the tokens of a sign-in. It renews a refused token once. The server only
 * streams, so a plain request also reads a stream. The adapter omits `temperature`, `seed` and `maxTokens`, which the server refuses.
 */
export function createSubscriptionAdapter(
  { provider, baseUrl, tokens }: SubscriptionServer,
  kit: AdapterKit,
): ChatAdapter {
  const url = endpoint(baseUrl, 'responses');
  const seen = new Set<string>();

  function post(call: AdapterCall, used: OAuthTokens): Promise<ServerAnswer> {
    // The previous tokens stay hidden too, because a late error may repeat one.
    if (seen.size > 8) seen.clear();
    for (const secret of [used.accessToken, used.refreshToken]) seen.add(secret);
    const headers = {
      ...HEADERS,
      authorization: `Bearer ${used.accessToken}`,
      'chatgpt-account-id': used.accountId,
    };
    return postJson(kit, { url, headers, body: responsesBody(call), stream: true, signal: call.signal });
  }

  async function open(call: AdapterCall): Promise<ServerAnswer> {
    const used = await tokens.current();
    try {
      return await post(call, used);
    } catch (thrown) {
      if (faultIn(thrown)?.detail.status !== 401) throw thrown;
      return post(call, await tokens.renew(used, call.signal));
    }
  }

  return {
    provider,
    secrets: () => [...seen],
    ask: (call) => readAnswer(() => open(call), new ResponsesReader(kit.ports.nowMs)),
  };
}
