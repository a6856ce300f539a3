import type { ActionBody, Affordance, Landmark } from '@hamlet/contract';
import { mayDo } from '../doing.ts';
import type { Rule } from '../situation.ts';
import { decision } from './decision.ts';

/** Does what one does at a place, once a day: drinks the coffee, reads the board, works at the bench. */
export const usePlace: Rule = (situation) => {
  const { self, landmarks, mind } = situation;
  if (self.moving_to !== null) return null;
  const place = landmarks.find(({ landmark_id }) => landmark_id === self.landmark_id);
  if (place === undefined || place.kind === 'home' || mind.visited.includes(place.landmark_id)) return null;
  const [use] = place.affordances;
  return decision(situation, {
    command: { kind: 'act', body: actionOf(use) },
    goal: `spending time at ${place.name}`,
    why: use === undefined ? `I am at ${place.name}` : `I am at ${place.name}, where one can ${mayDo(use)}`,
    change: { visited: [...mind.visited, place.landmark_id] },
  });
};

/** What one does at a place first of all. */
export function actionAt({ affordances: [use] }: Pick<Landmark, 'affordances'>): ActionBody {
  return actionOf(use);
}

function actionOf(use: Affordance | undefined): ActionBody {
  if (use === undefined) return { kind: 'emote', emote: 'think' };
  return use === 'board' ? { kind: 'use_board' } : { kind: 'use', target: use };
}
