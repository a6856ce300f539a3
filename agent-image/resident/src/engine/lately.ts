import type { LedgerEntry } from '@hamlet/contract';
import { judgementInWords } from '../brain/life/learn.ts';
import { planInWords } from '../brain/life/a-day.ts';
import type { LifeMind } from '../brain/life/life-mind.ts';
import { quoted, sentence } from '../brain/words.ts';

const JUDGED_MAX = 5;
const ACTS_MAX = 5;

/** The agent's newest judgements, its plan and its last acts with their reasons, so that it can say why. Pure. */
export function latelyInWords(
  entries: readonly LedgerEntry[],
  life: LifeMind | null,
  /** Village day; undefined while the village is unknown. */
  day: number | undefined,
): string {
  const judged = entries.filter(({ reason }) => reason === 'reward' || reason === 'penalty').slice(0, JUDGED_MAX);
  const acts = life?.recent.slice(-ACTS_MAX).toReversed() ?? [];
  const plan = life === null || life.day !== day ? [] : life.plan;
  return [
    ...(judged.length === 0 ? [] : ['Your rewards and penalties, newest first:']),
    ...judged.map((entry) => `- ${sentence(judgementInWords(entry))}`),
    ...(plan.length === 0 ? [] : [`Your plan for today: ${planInWords(plan)}.`]),
    ...(acts.length === 0 ? [] : ['Your last own decisions, newest first:']),
    ...acts.map(({ option, why, purpose }) => `- ${option}${purpose === '' ? '' : ` (${purpose})`}: ${quoted(why)}`),
  ].join('\n');
}
