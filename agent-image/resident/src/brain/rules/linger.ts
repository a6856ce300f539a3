import { HEARING_TILES } from '@hamlet/contract/resident';
import type { Affordance } from '@hamlet/contract';
import { chance } from '../chance.ts';
import { doingHere, mayDo } from '../doing.ts';
import { withText } from '../mind.ts';
import { tilesBetween } from '../distance.ts';
import type { Decision, Rule, Situation } from '../situation.ts';
import { remark } from '../speech.ts';
import { decision, isPaused, STAY } from './decision.ts';

const REMARK_CHANCE = 0.15;
const SMILE_CHANCE = 0.15;
/** What one does to pass the time, the likeliest first. None of it gives anything, so nothing piles up. */
const PASTIMES: readonly Affordance[] = ['sit', 'rest', 'read', 'stargaze'];

/** Nothing to do: takes a seat where there is one, and now and then has a word or a smile for those who are near. */
export const linger: Rule = (situation) => {
  const { self, character, tick, mind } = situation;
  if (self.moving_to !== null) return decision(situation, { command: STAY, goal: mind.goal, why: 'I am on my way' });
  const dice = chance(character.seed, character.agentId, tick, 'linger');
  return (hasCompany(situation) ? amongOthers(situation, dice) : null) ?? passTime(situation);
};

function amongOthers(situation: Situation, dice: number): Decision | null {
  const { character, tick, mind } = situation;
  const text = remark(Math.floor(chance(character.seed, character.agentId, tick) * 0x1_0000_0000), mind.said);
  if (dice < REMARK_CHANCE && text !== null) {
    return decision(situation, {
      command: { kind: 'act', body: { kind: 'talk', text } },
      goal: mind.goal,
      why: 'there is company',
      change: { said: withText(mind.said, text) },
    });
  }
  if (dice >= REMARK_CHANCE + SMILE_CHANCE) return null;
  return decision(situation, {
    command: { kind: 'act', body: { kind: 'emote', emote: 'smile' } },
    goal: mind.goal,
    why: 'there is company',
  });
}

/** Goes on with what it is at; idle, it does what the place offers to those who have time. */
function passTime(situation: Situation): Decision {
  const { self, landmarks } = situation;
  const goal = doingHere(self, landmarks) ?? 'looking about';
  const place = landmarks.find(({ landmark_id }) => landmark_id === self.landmark_id);
  const pastime = PASTIMES.find((use) => place?.affordances.includes(use) === true);
  const why = 'I have time until the next hour of my day';
  if (self.activity !== 'idle' || place === undefined || pastime === undefined || isPaused(situation, `use:${pastime}`))
    return decision(situation, { command: STAY, goal, why });
  return decision(situation, {
    command: { kind: 'act', body: { kind: 'use', target: pastime } },
    goal,
    why: `${why}, and one can ${mayDo(pastime)} at ${place.name}`,
  });
}

function hasCompany({ neighbours, self }: Situation): boolean {
  return neighbours.some(({ position }) => tilesBetween(position, self.position) <= HEARING_TILES);
}
