import { z } from 'zod';
import { readExposition } from '../../service/exposition.ts';

const amount = z.number().min(0).max(Number.MAX_SAFE_INTEGER);

/** Figures of a vLLM server at one moment. Tokens count since its start. */
export const VllmFigures = z.object({
  running: amount,
  waiting: amount,
  /** From 0 to 1. */
  kvCacheUsed: amount.max(1),
  promptTokens: amount,
  generatedTokens: amount,
});
export type VllmFigures = z.infer<typeof VllmFigures>;

const RUNNING = 'vllm:num_requests_running';
const WAITING = 'vllm:num_requests_waiting';
const CACHE = 'vllm:kv_cache_usage_perc';
/** The name of the cache's figure before version 0.10. */
const OLD_CACHE = 'vllm:gpu_cache_usage_perc';
const PROMPT = 'vllm:prompt_tokens_total';
const GENERATED = 'vllm:generation_tokens_total';
const METRICS: ReadonlySet<string> = new Set([RUNNING, WAITING, CACHE, OLD_CACHE, PROMPT, GENERATED]);

/**
 * The figures in the metrics of a vLLM server, summed over its engines; of the KV caches the fullest. Null if the text
 * lacks a figure, for example because another program wrote it. Pure.
 */
export function parseVllmMetrics(text: string): VllmFigures | null {
  const samples = readExposition(text, METRICS);
  const valuesOf = (...names: readonly string[]): readonly number[] =>
    samples.filter(({ name }) => names.includes(name)).map(({ value }) => value);
  const sum = (name: string): number | undefined => {
    const values = valuesOf(name);
    return values.length === 0 ? undefined : values.reduce((total, value) => total + value, 0);
  };
  const figures = VllmFigures.safeParse({
    running: sum(RUNNING),
    waiting: sum(WAITING),
    // Without a value, the largest one is -Infinity, which the schema refuses.
    kvCacheUsed: Math.min(1, Math.max(...valuesOf(CACHE, OLD_CACHE))),
    promptTokens: sum(PROMPT),
    generatedTokens: sum(GENERATED),
  });
  return figures.data ?? null;
}
