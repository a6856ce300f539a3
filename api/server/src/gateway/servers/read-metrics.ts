import type { ModelPorts } from '@hamlet/models';
import { boundedBody, TooLongError } from '../../service/bounded-body.ts';
import type { FoundMetrics } from './server-readings.ts';
import { parseVllmMetrics } from './vllm-metrics.ts';

/** Time limit of one reading, in milliseconds. */
const READ_LIMIT_MS = 5_000;
/** vLLM writes about 100 kB. */
const TEXT_BYTES_MAX = 1 << 20;

const GET = { method: 'GET', headers: {}, body: '', redirect: 'manual' } as const;

const NO_METRICS: FoundMetrics = { state: 'no_metrics', figures: null };

/** Reads the metrics of one vLLM server, without a key. Never rejects. */
export async function readMetrics(url: string, fetch: ModelPorts['fetch']): Promise<FoundMetrics> {
  const signal = AbortSignal.timeout(READ_LIMIT_MS);
  try {
    const { ok, body } = await fetch(url, { ...GET, signal });
    const text = (await boundedBody(body, TEXT_BYTES_MAX)).toString('utf8');
    const figures = ok ? parseVllmMetrics(text) : null;
    return figures === null ? NO_METRICS : { state: 'serves', figures };
  } catch (error) {
    return error instanceof TooLongError ? NO_METRICS : { state: 'unreachable', figures: null };
  }
}
