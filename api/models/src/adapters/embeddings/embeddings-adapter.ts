import { z } from 'zod';
import { ModelFault } from '../../chat/model-error.ts';
import { parseReply } from '../../transport/parse-reply.ts';
import { endpoint, jsonOf, postJson } from '../../transport/provider-exchange.ts';
import type { AdapterKit } from '../../transport/provider-exchange.ts';

const Reply = z.object({
  data: z.array(z.object({ index: z.int().nonnegative(), embedding: z.array(z.number()).min(1) })),
  usage: z.object({ prompt_tokens: z.int().nonnegative().nullish() }).nullish(),
});

export interface EmbeddingServer {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface EmbeddingCall {
  readonly model: string;
  readonly input: readonly string[];
  readonly dimensions?: number | undefined;
  readonly signal: AbortSignal;
}

export interface RawEmbeddings {
  readonly vectors: readonly (readonly number[])[];
  readonly promptTokens: number | undefined;
}

/** Asks OpenAI's `/embeddings` once. Throws a ModelFault for an expected failure. */
export async function askEmbeddings(
  { baseUrl, headers }: EmbeddingServer,
  { model, input, dimensions, signal }: EmbeddingCall,
  kit: AdapterKit,
): Promise<RawEmbeddings> {
  const body = { model, input, encoding_format: 'float', ...(dimensions === undefined ? {} : { dimensions }) };
  const url = endpoint(baseUrl, 'embeddings');
  const reply = parseReply(Reply, await jsonOf(await postJson(kit, { url, headers, body, stream: false, signal })));
  const vectors = reply.data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding);
  const isComplete = vectors.length === input.length && reply.data.every(({ index }) => index < input.length);
  if (!isComplete || new Set(vectors.map(({ length }) => length)).size > 1)
    throw new ModelFault('bad_answer', 'the provider did not send one vector for each text');
  return { vectors, promptTokens: reply.usage?.prompt_tokens ?? undefined };
}
