import type { Run } from '@hamlet/contract';
import { printable } from './printable.ts';

const ENDED: ReadonlySet<Run['state']> = new Set(['done', 'failed', 'cancelled']);

export const hasEnded = ({ state }: Run): boolean => ENDED.has(state);

/** `1 step`, `2 steps`. */
export const stepsOf = (count: number): string => `${count} ${count === 1 ? 'step' : 'steps'}`;

export function stateLines({ state, error, summary, usage, unsettled }: Run): readonly string[] {
  const words = error?.message ?? summary ?? '';
  return [
    `${state}: ${stepsOf(usage.steps)}, ${usage.tokens} tokens, ${usage.cost} aiDollars`,
    ...(words === '' ? [] : [printable(words)]),
    ...(unsettled.length === 0 ? [] : [`these calls may have happened: ${unsettled.join(', ')}`]),
  ];
}
