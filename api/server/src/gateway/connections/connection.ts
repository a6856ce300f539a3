import { createHash } from 'node:crypto';
import {
  ConnectedProvider,
  ProviderPrices,
  TestedModels,
  type FoundAbilities,
  type ModelOffer,
} from '@hamlet/contract';
import { parseModelsConfig, type ModelsConfig } from '@hamlet/models';
import type { CredentialRow } from '@hamlet/store';

export interface Connection {
  readonly name: string;
  /** Null for the village. */
  readonly agentId: string | null;
  readonly provider: ConnectedProvider;
  readonly prices: ProviderPrices | null;
  readonly createdAt: Date;
  readonly config: ModelsConfig;
}

export type Shared = Pick<ModelsConfig, 'retry' | 'limits'>;

const Addressed = ConnectedProvider.pick({ base_url: true }).loose();

/** The owner that a row's secret is sealed for: it can be opened only for this connection and its address. Pure. */
export function ownerOf({ name, agentId, provider }: Pick<CredentialRow, 'name' | 'agentId' | 'provider'>) {
  const addressed = Addressed.safeParse(provider);
  return { name, agentId, address: addressed.data?.base_url };
}

const FINGERPRINT_DIGITS = 12;

/** The first digits of the SHA-256 of a key, by which an admin recognizes it: `printf %s KEY | sha256sum`. Pure. */
export function fingerprintOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, FINGERPRINT_DIGITS);
}

type ConnectionFields = Pick<Connection, 'name' | 'provider' | 'prices'> & {
  readonly hasKey: boolean;
  readonly tested?: TestedModels | undefined;
};

function pricesOf(name: string, prices: ProviderPrices | null): object | undefined {
  if (prices === null) return undefined;
  const models = prices.prices.map(({ model, prompt, cached_prompt, cache_write, completion }) => ({
    provider: name,
    model,
    prompt,
    completion,
    ...(cached_prompt === null || cached_prompt === undefined ? {} : { cachedPrompt: cached_prompt }),
    ...(cache_write === null || cache_write === undefined ? {} : { cacheWrite: cache_write }),
  }));
  return { currency: prices.currency, models };
}

/** The setting for the thoughts of a provider's model, which all names of the model share; undefined if no name has it. Pure. */
export const thoughtsOf = ({ models }: Pick<ConnectedProvider, 'models'>, model: string): ModelOffer['thoughts'] =>
  models.find((offer) => offer.model === model && offer.thoughts !== undefined)?.thoughts;

const hasWord = ({ tools, json, stream, embeddings, images, thoughts }: ConnectedProvider['models'][number]): boolean =>
  [tools, json, stream, embeddings, images, thoughts].some((word) => word !== undefined);

const UNKNOWN: FoundAbilities = { stream: null, tools: null, json: null, embeddings: null };

function capabilityOf(provider: string, { kind, models }: ConnectedProvider, tested: TestedModels): readonly object[] {
  const byKind = kind !== 'completions';
  // Two names may refer to one model. The first entry of a model counts, so those that an admin described come first.
  const [worded, others] = [models.filter(hasWord), models.filter((offer) => !hasWord(offer))];
  return [...worded, ...others].map(({ model, tools, json, stream, embeddings, images }) => {
    const found = tested.find((each) => each.model === model) ?? UNKNOWN;
    return {
      provider,
      model,
      tools: tools ?? found.tools ?? byKind,
      json: json ?? found.json ?? byKind,
      stream: stream ?? found.stream ?? true,
      embeddings: embeddings ?? found.embeddings ?? byKind,
      images,
      thoughts: thoughtsOf({ models }, model),
    };
  });
}

/** A connection as its own configuration; a sentence if it is invalid. Its credential has its name. Pure. */
export function connectionConfig(
  { name, provider, prices, hasKey, tested = [] }: ConnectionFields,
  { retry, limits }: Shared,
): ModelsConfig | string {
  const { kind, base_url: baseUrl, models, max_in_flight: maxInFlight } = provider;
  const parsed = parseModelsConfig({
    providers: {
      [name]: {
        kind,
        baseUrl,
        ...(hasKey ? { credential: name } : {}),
        ...(maxInFlight === null ? {} : { maxInFlight }),
        ...(kind === 'openai-subscription' ? { noticeAccepted: true } : {}),
      },
    },
    routes: models.map(({ name: match, model, context_tokens, answer_tokens }) => ({
      match,
      provider: name,
      model,
      contextTokens: context_tokens,
      answerTokens: answer_tokens,
    })),
    capabilities: capabilityOf(name, provider, tested),
    prices: pricesOf(name, prices),
    retry,
    limits,
  });
  if (parsed.ok) return parsed.config;
  return parsed.errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
}

/** Stored values, without settings that this version of the API does not know: a later one may have stored them before a rollback. */
const StoredProvider = ConnectedProvider.strip().extend({
  models: ConnectedProvider.shape.models.element.strip().array(),
});
const StoredPrices = ProviderPrices.strip().extend({ prices: ProviderPrices.shape.prices.element.strip().array() });
const StoredTests = TestedModels.element.strip().array();

/** The provider of a stored row, if this version of the API can read it. Pure. */
export const storedProvider = ({ provider }: Pick<CredentialRow, 'provider'>): ConnectedProvider | null =>
  StoredProvider.safeParse(provider).data ?? null;

/** The prices of a stored row, if this version of the API can read them. Pure. */
export const storedPrices = ({ prices }: Pick<CredentialRow, 'prices'>): ProviderPrices | null =>
  StoredPrices.safeParse(prices).data ?? null;

/** Test results for the models of a row; empty if this version of the API cannot read them. Pure. */
export function testedModels({ tested }: Pick<CredentialRow, 'tested'>): TestedModels {
  return StoredTests.safeParse(tested).data ?? [];
}

/** A connection without the known abilities of its models, so that a test probes each ability. Its answers are read as before. Pure. */
export function withoutAbilities(connection: Connection): Connection {
  const can = connection.provider.kind !== 'completions';
  const capabilities = connection.config.capabilities
    .filter(({ thoughts }) => thoughts !== undefined)
    .map((entry) => ({ ...entry, stream: true, tools: can, json: can, embeddings: can }));
  return { ...connection, config: { ...connection.config, capabilities } };
}

export function withTested(
  before: TestedModels,
  now: TestedModels[number],
  { models }: Pick<ConnectedProvider, 'models'>,
): TestedModels {
  const names = new Set(models.map(({ model }) => model));
  return [...before.filter(({ model }) => model !== now.model && names.has(model)), now];
}

/** The connection of a stored row; null if it has only a key; a sentence if this version of the API cannot read it. Pure. */
export function connectionOf(row: CredentialRow, shared: Shared): Connection | null | string {
  if (row.provider === null) return null;
  const provider = StoredProvider.safeParse(row.provider);
  const prices = StoredPrices.nullable().safeParse(row.prices);
  if (!provider.success) return provider.error.message;
  if (!prices.success) return prices.error.message;
  const { name, agentId, envelope } = row;
  const fields = { name, provider: provider.data, prices: prices.data };
  const config = connectionConfig({ ...fields, hasKey: envelope !== null, tested: testedModels(row) }, shared);
  return typeof config === 'string' ? config : { ...fields, agentId, createdAt: row.createdAt, config };
}
