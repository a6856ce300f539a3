import { HEARING_TILES } from '@hamlet/contract/resident';
import { chance } from '../chance.ts';
import { tilesBetween } from '../perceive.ts';
import type { Rule, Situation } from '../situation.ts';
import { remark } from '../speech.ts';
import { decision, nameOf, STAY } from './decision.ts';

const REMARK_CHANCE = 0.15;
const SMILE_CHANCE = 0.15;

/** Nothing to do: enjoys the place, now and then with a word or a smile to those who are near. */
export const linger: Rule = (situation) => {
  const { self, character, tick, mind } = situation;
  const place = self.landmark_id === null ? null : nameOf(situation, self.landmark_id);
  if (self.moving_to !== null) return decision(situation, { command: STAY, goal: mind.goal, why: 'I am on my way' });
  const dice = chance(character.seed, character.agentId, tick, 'linger');
  if (hasCompany(situation) && dice < REMARK_CHANCE) {
    const seed = Math.floor(chance(character.seed, character.agentId, tick) * 0x1_0000_0000);
    const text = remark(seed);
    return decision(situation, { command: { kind: 'act', body: { kind: 'talk', text } }, goal: mind.goal, why: 'there is company' });
  }
  if (hasCompany(situation) && dice < REMARK_CHANCE + SMILE_CHANCE) {
    return decision(situation, { command: { kind: 'act', body: { kind: 'emote', emote: 'smile' } }, goal: mind.goal, why: 'there is company' });
  }
  const goal = place === null ? 'looking about' : `spending time at ${place}`;
  return decision(situation, { command: STAY, goal, why: 'there is nothing else to do until the next hour of my day' });
};

function hasCompany({ neighbours, self }: Situation): boolean {
  return neighbours.some(({ position }) => tilesBetween(position, self.position) <= HEARING_TILES);
}
