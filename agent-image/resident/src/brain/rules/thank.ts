import { wordOf } from '../situation.ts';
import type { Rule } from '../situation.ts';
import { decision } from './decision.ts';

/** Thanks for what it was handed. */
export const thank: Rule = (situation) => {
  const { wake, mind } = situation;
  if (wake?.kind !== 'handed') return null;
  return decision(situation, {
    command: { kind: 'act', body: { kind: 'emote', emote: 'heart' } },
    goal: mind.goal,
    why: `${wordOf(wake, 'from') ?? 'somebody'} handed me ${wordOf(wake, 'item_id') ?? 'something'}`,
  });
};
