import { decision, goTo, isAt } from '../rules/decision.ts';
import { actionAt } from '../rules/use-place.ts';
import type { Command, Rule, Situation } from '../situation.ts';
import { readWishes } from '../wish/read-wishes.ts';
import type { Advice } from './board-mind.ts';

/** What somebody advised is given up after so long. */
export const ADVICE_TICKS = 6_000;

/** What a person's words ask the agent to do, as far as it can read them: to be somewhere. */
export function adviceIn(
  { landmarks, character, tick }: Situation,
  { author_name: from, body }: { readonly author_name: string; readonly body: string },
): Advice | null {
  const here = {
    places: landmarks.map(({ landmark_id: id, name, kind }) => ({ id, name, kind })),
    agents: [],
    home: character.home,
    place: null,
  };
  const wish = readWishes(body, here)
    .flatMap(({ wishes }) => wishes)
    .find(({ kind }) => kind === 'go' || kind === 'use');
  if (wish?.kind !== 'go' && wish?.kind !== 'use') return null;
  return { landmarkId: wish.placeId, use: wish.kind === 'use', from: from.slice(0, 64), tick };
}

const SMILE: Command = { kind: 'act', body: { kind: 'emote', emote: 'smile' } };

/** Goes where a person advised on the board, and does there what one does, if that was advised. */
export const followAdvice: Rule = (situation) => {
  const { mind, tick, landmarks } = situation;
  const { advice } = mind.board;
  const place = landmarks.find(({ landmark_id }) => landmark_id === advice?.landmarkId);
  if (advice === null || place === undefined || tick - advice.tick > ADVICE_TICKS) return null;
  const why = `${advice.from} advised it on the board`;
  if (!isAt(situation, advice.landmarkId))
    return decision(situation, { command: goTo(situation, advice.landmarkId), goal: `walking to ${place.name}`, why });
  const command: Command = advice.use ? { kind: 'act', body: actionAt(place) } : SMILE;
  return decision(situation, {
    command,
    goal: `spending time at ${place.name}`,
    why,
    change: { board: { ...mind.board, advice: null } },
  });
};
