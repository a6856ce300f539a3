import type { ModelPorts } from '@hamlet/models';
import type { FoundMetrics } from './server-readings.ts';
import { parseVllmMetrics } from './vllm-metrics.ts';

/** Time limit of one reading, in milliseconds. */
const READ_LIMIT_MS = 5_000;
/** vLLM writes about 100 kB. */
const TEXT_BYTES_MAX = 1 << 20;

const GET = { method: 'GET', headers: {}, body: '', redirect: 'manual' } as const;

type Answer = Awaited<ReturnType<ModelPorts['fetch']>>;

/** The text of an answer; null if it is too long. */
async function boundedText({ body }: Answer): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > TEXT_BYTES_MAX) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Reads the metrics of one vLLM server, without a key. Never rejects. */
export async function readMetrics(url: string, fetch: ModelPorts['fetch']): Promise<FoundMetrics> {
  const signal = AbortSignal.timeout(READ_LIMIT_MS);
  try {
    const answer = await fetch(url, { ...GET, signal });
    const text = await boundedText(answer);
    const figures = answer.ok && text !== null ? parseVllmMetrics(text) : null;
    return figures === null ? { state: 'no_metrics', figures } : { state: 'serves', figures };
  } catch {
    return { state: 'unreachable', figures: null };
  }
}
