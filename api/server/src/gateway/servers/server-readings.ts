import { MODEL_SERVERS_MAX, type ModelServer } from '@hamlet/contract';
import { z } from 'zod';
import { VllmFigures } from './vllm-metrics.ts';

export const READ_EVERY_MS = 10_000;
/** The longest pause between two attempts at a server that fails, in milliseconds. */
const PAUSE_MAX_MS = 300_000;
/** A run of the job may begin early by this much, in milliseconds. */
const EARLY_MS = 1_000;

/** The metrics of one server of a provider. */
export interface ServerTarget {
  readonly provider: string;
  readonly url: string;
}

/** The outcome of one attempt. */
export type FoundMetrics =
  | { readonly state: 'serves'; readonly figures: VllmFigures }
  | { readonly state: 'unreachable' | 'no_metrics'; readonly figures: null };

const Rates = z.object({ prompt: z.number().min(0), generated: z.number().min(0) });

/** The newest reading of one server. All replicas of the API have it, so that any of them can make the next one. */
const Reading = z.object({
  provider: z.string(),
  url: z.string(),
  state: z.enum(['serves', 'unreachable', 'no_metrics']),
  /** Time of the attempt in milliseconds since 1970. */
  atMs: z.number(),
  /** Failed attempts in a row. */
  failures: z.int().min(0),
  figures: VllmFigures.nullable(),
  /** Tokens a second since the previous reading. */
  rates: Rates.nullable(),
});
export type Reading = z.infer<typeof Reading>;

export const Readings = z.array(Reading).max(MODEL_SERVERS_MAX);

/** False during the pause after a failure, which doubles with each further one. Pure. */
export function isDue({ failures, atMs }: Pick<Reading, 'failures' | 'atMs'>, nowMs: number): boolean {
  if (failures === 0) return true;
  const pauseMs = Math.min(READ_EVERY_MS * 2 ** (failures - 1), PAUSE_MAX_MS);
  return nowMs >= atMs + pauseMs - EARLY_MS;
}

/** Null after a restart, which resets the counters, and after a failure, which may hide a restart. */
function ratesOf(before: Reading | null, figures: VllmFigures, nowMs: number): Reading['rates'] {
  const then = before?.figures ?? null;
  if (before === null || then === null || nowMs <= before.atMs) return null;
  const prompt = figures.promptTokens - then.promptTokens;
  const generated = figures.generatedTokens - then.generatedTokens;
  if (prompt < 0 || generated < 0) return null;
  const seconds = (nowMs - before.atMs) / 1_000;
  return { prompt: prompt / seconds, generated: generated / seconds };
}

/** The reading after an attempt. `before` is the last one of the same server. Pure. */
export function nextReading(
  { provider, url }: ServerTarget,
  before: Reading | null,
  { state, figures, nowMs }: FoundMetrics & { readonly nowMs: number },
): Reading {
  const failures = state === 'serves' ? 0 : (before?.failures ?? 0) + 1;
  const rates = figures === null ? null : ratesOf(before, figures, nowMs);
  return { provider, url, state, atMs: nowMs, failures, figures, rates };
}

/** A reading as the API returns it. Pure. */
export function serverView({ provider, url, state, atMs, figures, rates }: Reading): ModelServer {
  return {
    provider,
    address: url,
    state,
    read_at: new Date(atMs).toISOString(),
    running: figures === null ? null : Math.round(figures.running),
    waiting: figures === null ? null : Math.round(figures.waiting),
    kv_cache_used: figures?.kvCacheUsed ?? null,
    tokens_per_second: rates?.generated ?? null,
    prompt_tokens_per_second: rates?.prompt ?? null,
  };
}
