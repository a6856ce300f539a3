import { ollamaRoot } from '../adapters/ollama/ollama-adapter.ts';
import type { Target } from '../chat/chat-delta.ts';
import { ModelFault, type ModelError } from '../chat/model-error.ts';
import { believedCount, estimateTokens } from '../chat/token-usage.ts';
import { decideNext } from './decide-next.ts';
import { pause, type ModelPorts } from '../transport/model-ports.ts';
import { bearer, endpoint, jsonOf, postJson, type AdapterKit } from '../transport/provider-exchange.ts';
import { callerError } from '../transport/scrub.ts';
import { findRoute } from './find-route.ts';
import { findCapabilities } from './fit-request.ts';
import type { ModelsConfig, ProviderConfig } from './models-config.ts';
import type { ModelsSetup } from './open-models.ts';
import { z } from 'zod';
import { count, parseReply } from '../transport/parse-reply.ts';

/** A text, or the tokens of one by the tokenizer of the model. */
export type EmbeddingInput = string | readonly number[];

export interface EmbeddingRequest {
  readonly input: readonly EmbeddingInput[];
  /** Length of the vectors, if the model supports a choice. */
  readonly dimensions?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type EmbeddingOutcome =
  | {
      readonly ok: true;
      readonly vectors: readonly (readonly number[])[];
      readonly promptTokens: number;
      readonly estimated: boolean;
    }
  | { readonly ok: false; readonly error: ModelError };

export interface Embedder {
  readonly target: Target;
  embed(request: EmbeddingRequest): Promise<EmbeddingOutcome>;
}

function serverOf(config: ProviderConfig, key: string | null): EmbeddingServer | null {
  switch (config.kind) {
    case 'openai':
    case 'openrouter':
    case 'vllm':
    case 'compatible':
      return { baseUrl: config.baseUrl, headers: { ...config.headers, ...bearer(key) } };
    case 'ollama':
      return { baseUrl: `${ollamaRoot(config.baseUrl)}/v1`, headers: bearer(key) };
    case 'anthropic':
    case 'completions':
    case 'scripted':
    case 'openai-subscription':
      return null;
    default:
      return config satisfies never;
  }
}

interface Opened {
  readonly target: Target;
  readonly server: EmbeddingServer;
  readonly key: string | null;
  readonly config: ModelsConfig;
  readonly ports: ModelPorts;
}

async function tryOnce(
  { target, server, key, config, ports }: Opened,
  { input, dimensions }: EmbeddingRequest,
  signal: AbortSignal,
): Promise<EmbeddingOutcome> {
  const { provider, model } = target;
  try {
    const call = { model, input, dimensions, signal };
    const { vectors, promptTokens: reported } = await askEmbeddings(server, call, { ports, limits: config.limits });
    const promptTokens = believedCount(reported);
    const estimate = input.reduce((sum, one) => sum + (typeof one === 'string' ? estimateTokens(one) : one.length), 0);
    return { ok: true, vectors, promptTokens: promptTokens ?? estimate, estimated: promptTokens === undefined };
  } catch (thrown) {
    return { ok: false, error: callerError(thrown, { provider, secrets: key === null ? [] : [key], signal }) };
  }
}

/** Retries according to the configuration. There are no fallbacks, because vectors of two models are not comparable. */
async function embedWith(opened: Opened, request: EmbeddingRequest): Promise<EmbeddingOutcome> {
  const { signal = new AbortController().signal } = request;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await tryOnce(opened, request, signal);
    if (outcome.ok) return outcome;
    const failed = { error: outcome.error, attempt, chance: opened.ports.random() };
    const next = decideNext({ ...failed, isLastTarget: true, isVisible: false, fallbackOn: [] }, opened.config.retry);
    if (next.do !== 'again') return outcome;
    await pause(opened.ports, next.delayMs, signal);
  }
}

/**
 * Opens a model for embeddings by its name in a request: the first target of its route. Null without a route, and for a
 * provider or model without embeddings. A missing credential becomes an `auth` failure of each request.
 */
export function openEmbedder(config: ModelsConfig, name: string, setup: ModelsSetup): Embedder | null {
  const target = findRoute(config, name)?.targets[0];
  const settings = target === undefined ? undefined : config.providers[target.provider];
  if (target === undefined || settings === undefined || !findCapabilities(config, target).embeddings) return null;
  const credential = 'credential' in settings ? settings.credential : undefined;
  const key = credential === undefined ? null : setup.credentials.key(credential);
  const server = serverOf(settings, key);
  if (server === null) return null;
  const opened = { target, server, key, config, ports: setup.ports };
  return { target, embed: (request) => embedWith(opened, request) };
}

const Reply = z.object({
  data: z.array(
    z.object({ index: z.int().nonnegative().nullish().catch(null), embedding: z.array(z.number()).min(1) }),
  ),
  usage: z.object({ prompt_tokens: count }).nullish().catch(null),
});

interface EmbeddingServer {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface EmbeddingCall {
  readonly model: string;
  readonly input: readonly EmbeddingInput[];
  readonly dimensions?: number | undefined;
  readonly signal: AbortSignal;
}

interface RawEmbeddings {
  readonly vectors: readonly (readonly number[])[];
  readonly promptTokens: number | undefined;
}

/** Sends one request to OpenAI's `/embeddings`. Throws a ModelFault for an expected failure. */
async function askEmbeddings(
  { baseUrl, headers }: EmbeddingServer,
  { model, input, dimensions, signal }: EmbeddingCall,
  kit: AdapterKit,
): Promise<RawEmbeddings> {
  const body = { model, input, encoding_format: 'float', ...(dimensions === undefined ? {} : { dimensions }) };
  const url = endpoint(baseUrl, 'embeddings');
  const reply = parseReply(Reply, await jsonOf(await postJson(kit, { url, headers, body, stream: false, signal })));
  // Without numbers, the vectors are in the order of the texts.
  const numbered = reply.data.map(({ index, embedding }, position) => ({ index: index ?? position, embedding }));
  const vectors = numbered.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding);
  const isComplete = vectors.length === input.length && numbered.every(({ index }) => index < input.length);
  if (!isComplete || new Set(vectors.map(({ length }) => length)).size > 1)
    throw new ModelFault('bad_answer', 'the provider did not send one vector for each text');
  return { vectors, promptTokens: reply.usage?.prompt_tokens ?? undefined };
}
