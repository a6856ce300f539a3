import { formatAiDollars, type Embeddings, type EmbeddingsBody } from '@hamlet/contract';
import type { EmbeddingOutcome } from '@hamlet/models';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import type { GatewayPorts, Ticket } from './admit-request.ts';
import { chargeOf, conclude } from './carry-out.ts';
import { sealTexts, sealView, type CallSeal } from './texts/call-seal.ts';
import { embeddingInputs } from './plan-request.ts';
import { refusalOfModel } from './refusal-of-model.ts';

type Vectors = Extract<EmbeddingOutcome, { readonly ok: true }>;

function encoded(vector: readonly number[], format: EmbeddingsBody['encoding_format']): number[] | string {
  return format === 'base64' ? Buffer.from(Float32Array.from(vector).buffer).toString('base64') : [...vector];
}

function answerOf(
  { catalog, monotonicMs }: GatewayPorts,
  { plan, reservation, startedMs }: Ticket,
  about: {
    readonly vectors: Vectors;
    readonly askedMs: number;
    readonly format: EmbeddingsBody['encoding_format'];
    readonly seal: CallSeal;
  },
): Embeddings {
  const { vectors, promptTokens: prompt, estimated } = about.vectors;
  const { provider, name } = plan.served;
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({ object: 'embedding', index, embedding: encoded(vector, about.format) })),
    model: name,
    usage: { prompt_tokens: prompt, total_tokens: prompt },
    hamlet: {
      provider,
      scripted: catalog.isScripted(provider),
      tokens: { prompt, completion: 0, total: prompt },
      queue_ms: Math.round(about.askedMs - startedMs),
      ttft_ms: Math.round(monotonicMs() - about.askedMs),
      tokens_per_s: null,
      price: formatAiDollars(chargeOf(reservation, prompt)),
      estimated,
      seal: sealView(about.seal),
    },
  };
}

/** Asks the provider for vectors, and records the use. A request that fails or is stopped costs nothing. */
export async function carryOutEmbedding(
  ports: GatewayPorts,
  ticket: Ticket,
  { input: asked, dimensions, encoding_format: format }: EmbeddingsBody,
): Promise<Outcome<Embeddings>> {
  const { plan, brake, place } = ticket;
  const nothing = {
    promptTokens: 0,
    completionTokens: 0,
    cachedPromptTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    estimated: false,
  };
  const askedMs = ports.monotonicMs();
  try {
    const { embedder, provider } = plan.served;
    if (embedder === null)
      throw new Error(`a bug: a request for embeddings was planned for ${provider}, which has no embeddings`);
    const signal = AbortSignal.any([brake.signal, AbortSignal.timeout(ports.answerTimes.totalMs)]);
    const input = embeddingInputs(asked);
    const outcome = await embedder.embed({ input, dimensions: dimensions ?? undefined, signal });
    const seal = sealTexts(JSON.stringify(input), outcome.ok ? JSON.stringify(outcome.vectors) : '');
    if (outcome.ok && brake.refusal() === null) {
      const usage = { ...nothing, promptTokens: outcome.promptTokens, estimated: outcome.estimated };
      await conclude(ports, ticket, { outcome: 'done', usage, provider, providerCost: null, seal });
      return accepted(answerOf(ports, ticket, { vectors: outcome, askedMs, format, seal }));
    }
    const braked = brake.refusal();
    const ended = braked === null ? 'failed' : 'cancelled';
    await conclude(ports, ticket, { outcome: ended, usage: nothing, provider, providerCost: null, seal });
    if (braked !== null) return braked;
    return outcome.ok ? refused('internal') : refusalOfModel(outcome.error, provider);
  } finally {
    brake.close();
    place.release();
  }
}
