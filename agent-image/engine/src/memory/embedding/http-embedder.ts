import { z } from 'zod';
import type { Embedder } from '../memory.ts';

export type HttpEmbedderOptions = Readonly<{
  /** Address of an OpenAI-compatible server, with its version: `/embeddings` is added. */
  baseUrl: string;
  model: string;
  /** Numbers of a vector of this model, a multiple of 8. */
  dimensions: number;
  headers?: Readonly<Record<string, string>>;
  /** Milliseconds since any moment; by default the process's monotonic clock. */
  now?: () => number;
}>;

const TEXTS_A_REQUEST = 64;
const TIMEOUT_MS = 10_000;
/** After a failure the server is left alone for this time, so that no search waits for it. */
const REST_MS = 30_000;
const MAX_ANSWER_BYTES = 32 << 20;

const Answer = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()) })).max(TEXTS_A_REQUEST),
});

/** Vectors of a model behind an OpenAI-compatible server, such as the village's gateway. `embed` rejects while the server fails. */
export function httpEmbedder(options: HttpEmbedderOptions): Embedder {
  const { model, dimensions, now = () => performance.now() } = options;
  let restsUntil = Number.NEGATIVE_INFINITY;
  return {
    id: `http:${model}:${dimensions}`,
    dimensions,
    embed: async (texts) => {
      if (now() < restsUntil) throw new Error(`The server of ${model} failed a moment ago. Try again later.`);
      const vectors: Float32Array[] = [];
      try {
        for (let from = 0; from < texts.length; from += TEXTS_A_REQUEST)
          vectors.push(...(await request(options, texts.slice(from, from + TEXTS_A_REQUEST))));
      } catch (error) {
        restsUntil = now() + REST_MS;
        throw error;
      }
      return vectors;
    },
  };
}

async function request(options: HttpEmbedderOptions, input: readonly string[]): Promise<readonly Float32Array[]> {
  const { baseUrl, model, dimensions, headers = {} } = options;
  const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, input, encoding_format: 'float' }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`The server of ${model} answered ${response.status}. Check its address and model.`);
  const { data } = Answer.parse(JSON.parse(await boundedText(response)));
  const vectors = new Map(data.map(({ index, embedding }) => [index, embedding]));
  return input.map((_, index) => {
    const vector = vectors.get(index);
    if (vector?.length === dimensions) return Float32Array.from(vector);
    throw new Error(
      `${model} gave ${vector?.length ?? 0} numbers for a text, not ${dimensions}. Correct its dimensions.`,
    );
  });
}

async function boundedText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES)
      throw new Error(`The answer has more than ${MAX_ANSWER_BYTES} bytes. Use another server.`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
