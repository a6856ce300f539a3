import { createAnthropicAdapter } from '../adapters/anthropic/anthropic-adapter.ts';
import { createChatAdapter, type ChatServer } from '../adapters/chat-completions/chat-adapter.ts';
import { CHAT_PROFILES } from '../adapters/chat-completions/chat-profile.ts';
import { createCompletionsAdapter } from '../adapters/completions/completions-adapter.ts';
import { createOllamaAdapter } from '../adapters/ollama/ollama-adapter.ts';
import { createSubscriptionAdapter } from '../adapters/responses/subscription-adapter.ts';
import type { SubscriptionTokens } from '../adapters/responses/subscription-tokens.ts';
import type { ChatAdapter, Model } from '../chat/model.ts';
import type { ModelPorts } from '../transport/model-ports.ts';
import type { AdapterKit } from '../transport/provider-exchange.ts';
import { createModel } from './create-model.ts';
import { findPrice, findRoute } from './find-route.ts';
import { findCapabilities } from './fit-request.ts';
import type { ModelsConfig, ProviderConfig } from './models-config.ts';

/** The credentials that a configuration names. `openModel` reads them each time. */
export interface Credentials {
  key(name: string): string | null;
  subscription(name: string): SubscriptionTokens | null;
}

export interface ModelsSetup {
  readonly credentials: Credentials;
  readonly ports: ModelPorts;
  /** Adapters from other packages by the name of their provider. They override the configuration. */
  readonly adapters?: Readonly<Record<string, ChatAdapter>>;
}

export type OpenedModel =
  | { readonly ok: true; readonly model: Model }
  | { readonly ok: false; readonly reason: 'no_route' | 'no_credential'; readonly message: string };

/** A missing credential. This error never leaves this file. */
class MissingCredential extends Error {}

type RemoteConfig = Exclude<ProviderConfig, { readonly kind: 'scripted' }>;
type ChatConfig = Extract<ProviderConfig, { readonly kind: 'openai' | 'openrouter' | 'vllm' | 'compatible' }>;

function keyOf(credentials: Credentials, name: string): string {
  const key = credentials.key(name);
  if (key === null) throw new MissingCredential(`there is no credential ${name}: add it, or name another one`);
  return key;
}

function optionalKey(credentials: Credentials, name: string | undefined): string | null {
  return name === undefined ? null : keyOf(credentials, name);
}

function accountOf(config: ChatConfig): Readonly<Record<string, string>> {
  if (config.kind !== 'openai') return {};
  const { organization, project } = config;
  return {
    ...(organization === undefined ? {} : { 'openai-organization': organization }),
    ...(project === undefined ? {} : { 'openai-project': project }),
  };
}

function chatServer(provider: string, config: ChatConfig, credentials: Credentials): ChatServer {
  const profile = CHAT_PROFILES[config.kind];
  return {
    provider,
    baseUrl: config.baseUrl,
    apiKey: optionalKey(credentials, config.credential),
    profile: {
      ...profile,
      streamUsage: 'streamUsage' in config ? config.streamUsage : profile.streamUsage,
      headers: { ...profile.headers, ...accountOf(config), ...config.headers },
      omit: config.omit ?? [],
    },
  };
}

function openAdapter(
  provider: string,
  config: RemoteConfig,
  { credentials, kit }: { readonly credentials: Credentials; readonly kit: AdapterKit },
): ChatAdapter {
  const { baseUrl } = config;
  switch (config.kind) {
    case 'openai':
    case 'openrouter':
    case 'vllm':
    case 'compatible':
      return createChatAdapter(chatServer(provider, config, credentials), kit);
    case 'anthropic':
      return createAnthropicAdapter({ provider, baseUrl, apiKey: keyOf(credentials, config.credential) }, kit);
    case 'ollama':
      return createOllamaAdapter({ provider, baseUrl, apiKey: optionalKey(credentials, config.credential) }, kit);
    case 'completions':
      return createCompletionsAdapter({ provider, baseUrl, apiKey: optionalKey(credentials, config.credential) }, kit);
    case 'openai-subscription': {
      const tokens = credentials.subscription(config.credential);
      if (tokens === null)
        throw new MissingCredential(`there is no sign-in ${config.credential}: sign in, or name another one`);
      return createSubscriptionAdapter({ provider, baseUrl, tokens }, kit);
    }
    default:
      return config satisfies never;
  }
}

/** Opens a model by its name in a request, with route, fallbacks and prices. */
export function openModel(config: ModelsConfig, name: string, setup: ModelsSetup): OpenedModel {
  const chain = findRoute(config, name);
  if (chain === null) return { ok: false, reason: 'no_route', message: `no route matches the model ${name}: add one` };
  const { credentials, ports, adapters = {} } = setup;
  const { limits, retry, providers } = config;
  const kit = { ports, limits };
  try {
    const targets = chain.targets.map(({ provider, model }) => {
      const settings = providers[provider];
      const own = adapters[provider];
      const facts = {
        model,
        price: findPrice(config, { provider, model }),
        can: findCapabilities(config, { provider, model }),
        contextTokens: chain.contextTokens,
      };
      if (own !== undefined) return { adapter: own, ...facts };
      if (settings === undefined || settings.kind === 'scripted')
        throw new Error(`no adapter is set for the provider ${provider}: pass it in adapters`);
      const adapter = openAdapter(provider, settings, { credentials, kit });
      return { adapter, ...facts };
    });
    return { ok: true, model: createModel({ targets, fallbackOn: chain.fallbackOn, retry, limits, ports }) };
  } catch (error) {
    if (error instanceof MissingCredential) return { ok: false, reason: 'no_credential', message: error.message };
    throw error;
  }
}
