import {
  estimatePromptTokens,
  findRoute,
  openEmbedder,
  openModel,
  parseModelsConfig,
  SYSTEM_PORTS,
} from '@hamlet/models';
import type { ChatAdapter, ChatRequest, Credentials, Embedder, Model, ModelPorts, ModelsConfig } from '@hamlet/models';
import { createScriptedAdapter, SCRIPTED } from '../scripted/scripted-adapter.ts';
import { promptTokensOf } from '../scripted/scripted-text.ts';

/** The key of a credential for an agent, or for the village if `agentId` is null; null if there is none. */
export type ProviderKeys = (name: string, agentId: string | null) => string | null;

/** The models of a village: a configuration, and what it names. */
export interface VillageModels {
  readonly config: ModelsConfig;
  readonly key: ProviderKeys;
  readonly adapters: Readonly<Record<string, ChatAdapter>>;
  readonly ports: ModelPorts;
}

/** A model that a request can name. */
export interface ServedModel {
  readonly name: string;
  /** The provider that is asked first. */
  readonly provider: string;
  /** The name of the model there. */
  readonly providerModel: string;
  /** Maximum number of tokens of a prompt and its answer together. */
  readonly contextTokens: number;
  /** Maximum number of tokens of an answer if the request names no limit. */
  readonly answerTokens: number;
  readonly port: Model;
  /** Null if the provider has no embeddings. */
  readonly embedder: Embedder | null;
  /** Tokens of a prompt, exact for the scripted mind and an estimate for the others. */
  countTokens(request: ChatRequest): number;
}

export interface ModelCatalog {
  /**
   * Null if no route serves the model; the reason is a sentence for an operator if its credential is missing. An agent's
   * own key goes before the village's; `agentId` null stands for the village.
   */
  find(name: string, agentId: string | null): ServedModel | { readonly missing: string } | null;
  isScripted(provider: string): boolean;
  /** Requests that the provider takes at one time; undefined: any number. */
  placesOf(provider: string): number | undefined;
  /** The names and patterns that requests may use. */
  readonly served: readonly string[];
}

/** Time of the scripted models; no provider is asked for the time of its own. */
export const MODELS_MADE_S = Date.UTC(2026, 10, 22) / 1_000;

function scriptedConfig(): ModelsConfig {
  const parsed = parseModelsConfig({
    providers: { [SCRIPTED]: { kind: 'scripted' } },
    routes: [
      { match: 'small', provider: SCRIPTED, contextTokens: 4_096, answerTokens: 128 },
      { match: 'large', provider: SCRIPTED, contextTokens: 32_768, answerTokens: 512 },
    ],
  });
  if (!parsed.ok) throw new Error(parsed.errors.map(({ path, message }) => `${path}: ${message}`).join('\n'));
  return parsed.config;
}

/** The models of a configuration; without one, the scripted mind alone. A sign-in to a subscription is not supported. */
export function configuredModels(config: ModelsConfig | null, key: ProviderKeys): VillageModels {
  return { config: config ?? scriptedConfig(), key, adapters: {}, ports: SYSTEM_PORTS };
}

/** Opens models by their names. Each request opens its model, so that a new key counts at its next one. */
export function openCatalog({ config, key, adapters, ports }: VillageModels): ModelCatalog {
  const kinds = new Map(Object.entries(config.providers).map(([name, { kind }]) => [name, kind]));
  const isScripted = (provider: string): boolean => kinds.get(provider) === 'scripted';
  const scripted = Object.fromEntries(
    [...kinds.keys()].filter(isScripted).map((name) => [name, { ...createScriptedAdapter(), provider: name }]),
  );
  const own = { ...scripted, ...adapters };
  const credentialsOf = (agentId: string | null): Credentials => ({
    key: (name) => key(name, agentId),
    subscription: () => null,
  });
  return {
    find: (name, agentId) => {
      const chain = findRoute(config, name);
      const target = chain?.targets[0];
      if (chain === null || target === undefined) return null;
      const { provider, model: providerModel } = target;
      const setup = { credentials: credentialsOf(agentId), ports, adapters: own };
      const opened = openModel(config, name, setup);
      if (!opened.ok) return { missing: opened.message };
      const { contextTokens, answerTokens } = chain;
      const countTokens = isScripted(provider)
        ? ({ messages }: ChatRequest): number => promptTokensOf(messages)
        : estimatePromptTokens;
      return {
        name,
        provider,
        providerModel,
        contextTokens,
        answerTokens,
        port: opened.model,
        embedder: openEmbedder(config, name, setup),
        countTokens,
      };
    },
    isScripted,
    placesOf: (provider) => config.providers[provider]?.maxInFlight,
    served: config.routes.map(({ match }) => match),
  };
}
