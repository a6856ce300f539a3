import type { Landmark } from '@hamlet/contract';
import { chance, choose } from '../chance.ts';
import { isBedtime, planDay, rankOf } from '../day-plan.ts';
import { tilesBetween } from '../distance.ts';
import type { LyingItem, Situation } from '../situation.ts';
import { isWonder, wonderSubject } from './need.ts';
import type { Need } from './need.ts';

/** Between two questions out of curiosity, in ticks: an hour. */
export const WONDER_GAP_TICKS = 36_000;
/** It has looked about a little before it asks: so many places of today. */
export const VISITS_BEFORE_WONDER = 2;
const NEAR_TILES = 12;

/**
 * Something that the agent would like to know and asks the whole village; null where there is nothing, or where it has asked lately. It asks about
 * a place that opens with a higher tier and about a thing that lies near it, each once, by day, awake and at rest. What it says is what it sees. Pure.
 */
export function wonderOf(situation: Situation): Need | null {
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

/** Places that open with a tier above its own. */
function placesAhead({ landmarks, character }: Situation): readonly Landmark[] {
  return landmarks.filter(
    ({ unlocked_by }) => unlocked_by !== undefined && rankOf(unlocked_by) > rankOf(character.tier ?? ''),
  );
}

/** Several ways to ask, so that two agents seldom ask with the same words. */
const ABOUT_PLACES: readonly string[] = [
  'What is there to see at {name}?',
  'Has anybody been to {name}?',
  'What is {name} like?',
  'What does one do at {name}?',
];

function wonderOfPlace(
  { landmark_id, name, unlocked_by = '' }: Landmark,
  { tier, seed }: Situation['character'],
): Need {
  const title = (choose(ABOUT_PLACES, chance(seed, 'about', landmark_id)) ?? '').replace('{name}', () => name);
  const own = tier === null ? 'I am in no tier' : `I am in ${tier}`;
  return {
    subject: wonderSubject(`place ${landmark_id}`),
    audience: 'public',
    title,
    facts: `${name} opens with ${unlocked_by}, and ${own}.`,
  };
}

function itemsHere({ items, self }: Situation): readonly LyingItem[] {
  return items.filter(({ position }) => tilesBetween(position, self.position) <= NEAR_TILES).slice(0, 1);
}

function wonderOfItem({ self, landmarks }: Situation, { item_id, kind }: LyingItem): Need {
  const place = landmarks.find(({ landmark_id }) => landmark_id === self.landmark_id)?.name;
  const where = place === undefined ? 'near me' : `near ${place}`;
  return {
    subject: wonderSubject(`item ${item_id}`),
    audience: 'public',
    title: `Whose is the ${kind} ${where}?`,
    facts: `I see the ${kind} on the ground ${where}, and I do not know who put it there.`,
  };
}
