import type { ModelServer } from '@hamlet/contract';
import type { Tone } from '../../ui/controls.tsx';

/** From this part of the KV cache on, vLLM begins to delay or repeat requests. */
const CACHE_FULL = 0.95;

/** A server in one word, and what to do about it. */
export function serverState({ state, waiting, kv_cache_used: cache }: ModelServer): Readonly<{
  word: string;
  tone: Tone;
  hint: string | null;
}> {
  if (state === 'unreachable')
    return {
      word: 'Off or loading',
      tone: 'bad',
      hint: 'A model takes minutes to load. The logs of its pod show the progress.',
    };
  if (state === 'no_metrics')
    return { word: 'No figures', tone: 'sleep', hint: 'It answers, but not with the metrics of vLLM.' };
  if ((cache ?? 0) >= CACHE_FULL)
    return {
      word: 'Full',
      tone: 'waiting',
      hint: 'Its cache is full, so it delays requests. A shorter context or fewer requests at once help.',
    };
  if ((waiting ?? 0) > 0) return { word: 'Busy', tone: 'waiting', hint: null };
  return { word: 'Serves', tone: 'good', hint: null };
}

function rate(value: number | null): string {
  if (value === null) return '…';
  return value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en');
}

/** The figures of a server as pairs of words. */
export function serverLabels(server: ModelServer): readonly Readonly<{ name: string; value: string }>[] {
  const { running, waiting, kv_cache_used: cache } = server;
  return [
    { name: 'Writes, tokens/s', value: rate(server.tokens_per_second) },
    { name: 'Reads, tokens/s', value: rate(server.prompt_tokens_per_second) },
    { name: 'Working on', value: String(running ?? 0) },
    { name: 'Waiting', value: String(waiting ?? 0) },
    { name: 'Cache in use', value: `${Math.round((cache ?? 0) * 100)} %` },
  ];
}
