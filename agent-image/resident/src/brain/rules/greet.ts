import { HEARING_TILES } from '@hamlet/contract/resident';
import type { AgentView } from '@hamlet/contract';
import { chance } from '../chance.ts';
import { withEntry, withText } from '../mind.ts';
import { tilesBetween } from '../distance.ts';
import type { Rule, Situation } from '../situation.ts';
import { greeting } from '../speech.ts';
import { decision, isPaused, nameOf } from './decision.ts';

/** Somebody greeted is not greeted again for six village hours. */
export const GREET_AGAIN_TICKS = 3_600;

/** Says hello to somebody near whom it has not greeted lately. */
export const greet: Rule = (situation) => {
  const { self, tick, phase, mind, character } = situation;
  const friend = situation.neighbours.find((agent) => isNew(situation, agent));
  if (friend === undefined) return null;
  const place = self.landmark_id === null ? null : nameOf(situation, self.landmark_id);
  const seed = Math.floor(chance(character.seed, character.agentId, tick) * 0x1_0000_0000);
  const { text, small } = greeting({ seed, phase, place }, friend.display_name, mind.said);
  return decision(situation, {
    command: { kind: 'act', body: { kind: 'talk', to: friend.agent_id, text } },
    goal: mind.goal,
    why: `I meet ${friend.display_name}`,
    change: { greeted: withEntry(mind.greeted, friend.agent_id, tick), said: withText(mind.said, small) },
  });
};

function isNew(situation: Situation, agent: AgentView): boolean {
  const { self, tick, mind } = situation;
  const greetedAt = mind.greeted[agent.agent_id];
  const rested = greetedAt === undefined || tick - greetedAt >= GREET_AGAIN_TICKS;
  return (
    rested &&
    tilesBetween(agent.position, self.position) <= HEARING_TILES &&
    !isPaused(situation, `talk:${agent.agent_id}`)
  );
}
