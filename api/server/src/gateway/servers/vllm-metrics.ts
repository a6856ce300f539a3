import { z } from 'zod';

const amount = z.number().min(0);

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

interface Sample {
  readonly name: string;
  readonly value: number;
}

/** One line of the text format of Prometheus; null for comments and values that are not numbers. Pure. */
function sampleOf(line: string): Sample | null {
  const [, name] = /^([A-Za-z_:][\w:]*)[ {]/.exec(line) ?? [];
  if (name === undefined) return null;
  // Values of labels may contain spaces and braces; the value follows the last brace, and a time may follow the value.
  const rest = line.slice(Math.max(name.length, line.lastIndexOf('}') + 1)).trim();
  const value = Number(rest.split(' ', 1)[0]);
  return Number.isFinite(value) && value >= 0 ? { name, value } : null;
}

/**
 * The figures in the metrics of a vLLM server, summed over its engines; of the KV caches the fullest. Null if the text
 * lacks one, such as that of another program. Pure.
 */
export function parseVllmMetrics(text: string): VllmFigures | null {
  const byName = new Map<string, number[]>();
  for (const line of text.split('\n')) {
    const sample = line.startsWith('vllm:') ? sampleOf(line) : null;
    if (sample !== null) byName.set(sample.name, [...(byName.get(sample.name) ?? []), sample.value]);
  }
  const sum = (name: string): number | undefined => byName.get(name)?.reduce((total, value) => total + value, 0);
  // Versions before 0.10 have the second name.
  const caches = byName.get('vllm:kv_cache_usage_perc') ?? byName.get('vllm:gpu_cache_usage_perc');
  const figures = VllmFigures.safeParse({
    running: sum('vllm:num_requests_running'),
    waiting: sum('vllm:num_requests_waiting'),
    kvCacheUsed:
      caches === undefined
        ? undefined
        : Math.min(
            1,
            caches.reduce((most, value) => Math.max(most, value), 0),
          ),
    promptTokens: sum('vllm:prompt_tokens_total'),
    generatedTokens: sum('vllm:generation_tokens_total'),
  });
  return figures.data ?? null;
}
