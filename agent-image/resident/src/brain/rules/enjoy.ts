import type { ItemKind } from '@hamlet/contract';
import type { Rule } from '../situation.ts';
import { decision } from './decision.ts';

/** What one gets for oneself and does not carry elsewhere. */
export const MEALS: readonly ItemKind[] = ['coffee', 'bread', 'fish'];
/** What is used up by using it; carried elsewhere first, if the errand of the day is still to be done. */
const USED_UP: readonly ItemKind[] = ['apple', 'wood'];

/** Standing somewhere with something good in its hands, it enjoys it. */
export const enjoy: Rule = (situation) => {
  const { self, mind } = situation;
  if (self.moving_to !== null) return null;
  const item = self.inventory.find(({ kind }) => MEALS.includes(kind) || (mind.delivered && USED_UP.includes(kind)));
  if (item === undefined) return null;
  return decision(situation, {
    command: { kind: 'act', body: { kind: 'use', target: item.item_id } },
    goal: mind.goal,
    why: `I have ${item.kind}, and it is for me`,
  });
};
