import type { Landmark } from '@hamlet/contract';
import { chance, choose } from '../chance.ts';
import { isBedtime, planDay, rankOf } from '../day-plan.ts';
import { placeOf, tilesBetween, type HelpRequest, type LyingItem, type Situation } from '../situation.ts';
import { placeInWords, sentence } from '../words.ts';
import { isWonder, wonderSubject } from './help-request.ts';

/** Minimum ticks between two questions out of curiosity: an hour. */
export const WONDER_GAP_TICKS = 36_000;
/** Number of places that the agent must have used on a day before it asks a question out of curiosity. */
export const VISITS_BEFORE_WONDER = 2;
const NEAR_TILES = 12;

/**
 * The next question out of curiosity, about a place of a higher tier or an item nearby; null if there is none now. The agent asks
 * each question once, by day, while it stands still, and at most one an hour.
 */
export function wonderOf(situation: Situation): HelpRequest | null {
  const { mind, tick, self, character, day } = situation;
  const { asked } = mind.board;
  const lately = Object.entries(asked).some(([subject, at]) => isWonder(subject) && tick - at < WONDER_GAP_TICKS);
  if (lately || self.moving_to !== null || mind.visited.length < VISITS_BEFORE_WONDER || isNight(situation))
    return null;
  const wonders = [
    ...placesAhead(situation).map((place) => wonderOfPlace(place, character)),
    ...itemsHere(situation).map((item) => wonderOfItem(situation, item)),
  ];
  const news = wonders.filter(({ subject }) => asked[subject] === undefined);
  return choose(news, chance(character.seed, character.agentId, day, 'wonder')) ?? null;
}

function isNight({ character, landmarks, day, minute }: Situation): boolean {
  return isBedtime(planDay(character, landmarks, day), minute);
}

function placesAhead({ landmarks, character }: Situation): readonly Landmark[] {
  return landmarks.filter(
    ({ unlocked_by }) => unlocked_by !== undefined && rankOf(unlocked_by) > rankOf(character.tier ?? ''),
  );
}

const ABOUT_PLACES: readonly string[] = [
  'What is there to see at {name}?',
  'Has anybody been to {name}?',
  'What is {name} like?',
  'What does one do at {name}?',
];

function wonderOfPlace(place: Landmark, { tier, seed }: Situation['character']): HelpRequest {
  const { landmark_id, unlocked_by = '' } = place;
  const name = placeInWords(place);
  const title = (choose(ABOUT_PLACES, chance(seed, 'about', landmark_id)) ?? '').replace('{name}', () => name);
  const own = tier === null ? 'I am in no tier' : `I am in ${tier}`;
  return {
    subject: wonderSubject(`place ${landmark_id}`),
    audience: 'public',
    title,
    facts: sentence(`${name} opens with ${unlocked_by}, and ${own}`),
  };
}

function itemsHere({ items, self }: Situation): readonly LyingItem[] {
  return items.filter(({ position }) => tilesBetween(position, self.position) <= NEAR_TILES).slice(0, 1);
}

function wonderOfItem(situation: Situation, { item_id, kind }: LyingItem): HelpRequest {
  const place = placeOf(situation);
  const where = place === undefined ? 'near me' : `near ${placeInWords(place)}`;
  return {
    subject: wonderSubject(`item ${item_id}`),
    audience: 'public',
    title: `Whose is the ${kind} ${where}?`,
    facts: `I see the ${kind} on the ground ${where}, and I do not know who put it there.`,
  };
}
