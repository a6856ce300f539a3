import { planDay, stopAt } from '../day-plan.ts';
import type { Rule } from '../situation.ts';
import { decision, goTo, isAt, nameOf } from './decision.ts';

/** Goes where the plan of the day says to be now. */
export const attend: Rule = (situation) => {
  const { character, landmarks, day, minute } = situation;
  const stop = stopAt(planDay(character, landmarks, day), minute);
  if (stop === undefined || isAt(situation, stop.landmarkId)) return null;
  return decision(situation, {
    command: goTo(situation, stop.landmarkId),
    goal: `walking to ${nameOf(situation, stop.landmarkId)}`,
    why: stop.why,
  });
};
