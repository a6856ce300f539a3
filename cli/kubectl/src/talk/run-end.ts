import type { Mind, Run } from '@hamlet/contract';
import { isForeign } from '@hamlet/core/mind';
import { printable } from './printable.ts';

const ENDED: ReadonlySet<Run['state']> = new Set(['done', 'failed', 'cancelled']);

export const hasEnded = ({ state }: Run): boolean => ENDED.has(state);

/** `1 step`, `2 steps`. */
export const stepsOf = (count: number): string => `${count} ${count === 1 ? 'step' : 'steps'}`;

/** The use of a run: `2 steps, 0.1 aiDollars`. A program of another maker has no steps of ours. */
export const usageOf = (mind: Mind | undefined | null, steps: number, ...rest: readonly string[]): string =>
  [...(mind && isForeign(mind) ? [] : [stepsOf(steps)]), ...rest].join(', ');

export function stateLines({ state, error, summary, usage, unsettled, mind }: Run): readonly string[] {
  const words = error?.message ?? summary ?? '';
  return [
    `${state}: ${usageOf(mind, usage.steps, `${usage.tokens} tokens`, `${usage.cost} aiDollars`)}`,
    ...(words === '' ? [] : [printable(words)]),
    ...(unsettled.length === 0 ? [] : [`these calls may have happened: ${unsettled.join(', ')}`]),
  ];
}
