import type { AgentDetail } from '@hamlet/contract';
import type { Row } from '../../client/app-state.ts';
import { lifeState } from '../inspector/state-sentence.ts';

const GROUPS = [
  { tone: 'good', word: 'awake' },
  { tone: 'sleep', word: 'asleep' },
  { tone: 'waiting', word: 'not ready' },
  { tone: 'bad', word: 'set aside' },
] as const;

/** How many agents are in which state, in words; a state that nobody is in is left out. */
export function populationOf(
  rows: readonly Row[],
  details: ReadonlyMap<string, AgentDetail>,
): { readonly tone: (typeof GROUPS)[number]['tone']; readonly word: string; readonly count: number }[] {
  const tones = rows.map((row) => lifeState(row, details.get(row.id)).tone);
  return GROUPS.map(({ tone, word }) => ({ tone, word, count: tones.filter((found) => found === tone).length })).filter(
    ({ count }) => count > 0,
  );
}
