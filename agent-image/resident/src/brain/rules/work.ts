import type { Rule } from '../situation.ts';
import { decision, STAY } from './decision.ts';

/** Working on a run, the agent goes where that leads, and does nothing else of its own. */
export const work: Rule = (situation) => {
  if (situation.work === null) return null;
  return decision(situation, { command: STAY, goal: situation.mind.goal, why: `I am at work: ${situation.work}` });
};
