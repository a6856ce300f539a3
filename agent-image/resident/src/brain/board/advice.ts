import { decision, goTo, isAt, nameOf, type Command, type Rule } from '../decision.ts';
import { actionAt } from '../doing.ts';
import type { Advice } from '../mind.ts';
import { readWishes } from '../read-wishes.ts';
import type { Situation } from '../situation.ts';

/** Ten minutes, after which the agent drops advice that it could not follow. */
export const ADVICE_TICKS = 6_000;
const SMILE: Command = { kind: 'act', body: { kind: 'emote', emote: 'smile' } };

export function adviceIn(
  { landmarks, character, tick }: Situation,
  { author_name: from, body }: { readonly author_name: string; readonly body: string },
): Advice | null {
  const places = landmarks.map(({ landmark_id: id, name, kind }) => ({ id, name, kind }));
  const wish = readWishes(body, { places, agents: [], home: character.home, place: null })
    .flatMap(({ wishes }) => wishes)
    .find(({ kind }) => kind === 'go' || kind === 'use');
  if (wish?.kind !== 'go' && wish?.kind !== 'use') return null;
  return { landmarkId: wish.placeId, use: wish.kind === 'use', from: from.slice(0, 64), tick };
}

export const followAdvice: Rule = (situation) => {
  const { mind, tick, landmarks } = situation;
  const { advice } = mind.board;
  const place = landmarks.find(({ landmark_id }) => landmark_id === advice?.landmarkId);
  if (advice === null || place === undefined || tick - advice.tick > ADVICE_TICKS) return null;
  const why = `${advice.from} advised it on the board`;
  const name = nameOf(situation, advice.landmarkId);
  if (!isAt(situation, advice.landmarkId))
    return decision(situation, { command: goTo(situation, advice.landmarkId), goal: `walking to ${name}`, why });
  return decision(situation, {
    command: advice.use ? { kind: 'act', body: actionAt(place) } : SMILE,
    goal: `spending time at ${name}`,
    why,
    change: { board: { ...mind.board, advice: null } },
  });
};
