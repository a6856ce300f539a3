import {
  answerLimit,
  estimatePromptTokens,
  findCapabilities,
  findRoute,
  fitToRoute,
  openEmbedder,
  openModel,
  parseModelsConfig,
  SYSTEM_PORTS,
} from '@hamlet/models';
import type {
  Capabilities,
  ChatAdapter,
  ChatRequest,
  Credentials,
  Embedder,
  Model,
  ModelPorts,
  ModelsConfig,
} from '@hamlet/models';
import type { SubscriptionTokens } from '@hamlet/models';
import type { Connection } from '../connections/connection.ts';
import { joinSystem } from './join-system.ts';
import { createScriptedAdapter, SCRIPTED } from '../scripted/scripted-adapter.ts';
import { promptTokensOf } from '../scripted/scripted-text.ts';

type ProviderKeys = (name: string, agentId: string | null) => string | null;

export interface ConnectionSource {
  /** For an agent, its own first; for the village if `agentId` is null. */
  of(agentId: string | null): readonly Connection[];
  named(name: string): Connection | null;
  key(connection: Connection): string | null;
  subscription(connection: Connection): SubscriptionTokens | null;
  readonly ports: ModelPorts;
}

const NOTHING_CONNECTED: ConnectionSource = {
  of: () => [],
  named: () => null,
  key: () => null,
  subscription: () => null,
  ports: SYSTEM_PORTS,
};

const SCRIPTED_KIND = 'scripted';

export interface VillageModels {
  readonly config: ModelsConfig;
  readonly key: ProviderKeys;
  readonly adapters: Readonly<Record<string, ChatAdapter>>;
  readonly ports: ModelPorts;
  readonly connected?: ConnectionSource | undefined;
}

export interface ServedModel {
  readonly name: string;
  readonly provider: string;
  readonly kind: string;
  readonly connection: Pick<Connection, 'name' | 'agentId' | 'createdAt'> | null;
  readonly providerModel: string;
  /** Maximum number of tokens of a prompt and its answer together. */
  readonly contextTokens: number;
  /** Maximum number of tokens of an answer. */
  readonly answerTokens: number;
  readonly port: Model;
  readonly embedder: Embedder | null;
  /** Tokens of a prompt, exact for the scripted mind and an estimate for the others. */
  countTokens(request: ChatRequest): number;
  /** The request that goes to the provider, and whether its tools were left out. */
  fit(request: ChatRequest): { readonly request: ChatRequest; readonly toolsIgnored: boolean };
  readonly can: Capabilities;
}

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

/** The models of a configuration; without one, only the scripted mind. A subscription sign-in is not supported. */
export function configuredModels(config: ModelsConfig | null, key: ProviderKeys): VillageModels {
  return { config: config ?? scriptedConfig(), key, adapters: {}, ports: SYSTEM_PORTS };
}

type Opening = Pick<VillageModels, 'config' | 'ports'> & {
  readonly credentials: Credentials;
  readonly adapters: Readonly<Record<string, ChatAdapter>>;
  readonly connection: ServedModel['connection'];
};

function openServed(name: string, { config, connection, ...setup }: Opening): ServedModel | { missing: string } | null {
  const chain = findRoute(config, name);
  const target = chain?.targets[0];
  if (chain === null || target === undefined) return null;
  const { provider, model: providerModel } = target;
  const opened = openModel(config, name, setup);
  if (!opened.ok) return { missing: opened.message };
  const { contextTokens, answerTokens = answerLimit(providerModel, contextTokens) } = chain;
  const kind = config.providers[provider]?.kind ?? '';
  const countTokens =
    kind === SCRIPTED_KIND ? ({ messages }: ChatRequest): number => promptTokensOf(messages) : estimatePromptTokens;
  return {
    name,
    provider,
    kind,
    connection,
    providerModel,
    contextTokens,
    answerTokens,
    port: opened.model,
    embedder: openEmbedder(config, name, setup),
    countTokens,
    fit: (request) => fitToRoute(config, name, kind === 'anthropic' ? request : joinSystem(request)),
    can: findCapabilities(config, target),
  };
}

export function openConnection(
  connection: Connection,
  { key, subscription, ports }: Pick<ConnectionSource, 'key' | 'subscription' | 'ports'>,
  name: string = connection.provider.models[0]?.name ?? '',
): ServedModel | { readonly missing: string } | null {
  const { config, agentId, createdAt } = connection;
  const credentials = { key: () => key(connection), subscription: () => subscription(connection) };
  return openServed(name, {
    config,
    ports,
    credentials,
    adapters: {},
    connection: { name: connection.name, agentId, createdAt },
  });
}

/** Opens models by their names, once per request, so that the next request uses a new key or provider. */
export function openCatalog({ config, key, adapters, ports, connected = NOTHING_CONNECTED }: VillageModels) {
  const kinds = new Map(Object.entries(config.providers).map(([name, { kind }]) => [name, kind]));
  const isScripted = (provider: string): boolean => kinds.get(provider) === SCRIPTED_KIND;
  const scripted = Object.fromEntries(
    [...kinds.keys()].filter(isScripted).map((name) => [name, { ...createScriptedAdapter(), provider: name }]),
  );
  const own = { ...scripted, ...adapters };
  /** A configured provider hides a connected one of the same name, so that a name stands for one provider. */
  const connectionsFor = (agentId: string | null): readonly Connection[] =>
    connected.of(agentId).filter(({ name }) => !kinds.has(name));
  return {
    /**
     * Null if no route serves the model; a sentence for an operator if its credential is missing. An agent's own key
     * takes precedence over the village's; `agentId` is null for the village.
     */
    find: (name: string, agentId: string | null) => {
      const connection = connectionsFor(agentId).find(({ config: its }) => findRoute(its, name) !== null);
      if (connection !== undefined) return openConnection(connection, connected, name);
      const credentials = { key: (credential: string) => key(credential, agentId), subscription: () => null };
      return openServed(name, { config, ports, credentials, adapters: own, connection: null });
    },
    isScripted,
    /** Maximum number of concurrent requests to the provider; undefined if unlimited. */
    placesOf: (provider: string) => {
      if (kinds.has(provider)) return config.providers[provider]?.maxInFlight;
      return connected.named(provider)?.provider.max_in_flight ?? undefined;
    },
    /** The names and patterns of models for an agent, or for the village if `agentId` is null. */
    served: (agentId: string | null) => [
      ...new Set([
        ...connectionsFor(agentId).flatMap(({ provider }) => provider.models.map(({ name }) => name)),
        ...config.routes.map(({ match }) => match),
      ]),
    ],
  };
}

export type ModelCatalog = ReturnType<typeof openCatalog>;
