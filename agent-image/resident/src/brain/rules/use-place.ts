import type { ActionBody, Landmark } from '@hamlet/contract';
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
    command: { kind: 'act', body: actionAt(place) },
    goal: `spending time at ${place.name}`,
    why: use === undefined ? `I am at ${place.name}` : `I am at ${place.name}, where one can ${use.replaceAll('_', ' ')}`,
    change: { visited: [...mind.visited, place.landmark_id] },
  });
};

function actionAt({ landmark_id, kind, affordances }: Landmark): ActionBody {
  if (kind === 'board') return { kind: 'use_board' };
  return affordances.length > 0 ? { kind: 'use', target: landmark_id } : { kind: 'emote', emote: 'think' };
}
