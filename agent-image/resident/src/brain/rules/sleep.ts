import { isBedtime, planDay } from '../day-plan.ts';
import type { Rule } from '../situation.ts';
import { decision, goTo, isAt, isPaused, nameOf, STAY } from './decision.ts';

const GOAL = 'going home to sleep';

/** An agent whose power is Asleep does nothing: its process is about to be ended. */
export const suspended: Rule = (situation) =>
  situation.self.power === 'Asleep'
    ? decision(situation, { command: STAY, goal: 'sleeping', why: 'my power is Asleep' })
    : null;

/** Goes home for the night and stays there, asleep, until it is time to rise. */
export const sleep: Rule = (situation) => {
  const { self, character, landmarks, day, minute } = situation;
  if (!isBedtime(planDay(character, landmarks, day), minute)) return null;
  const place = nameOf(situation, character.home);
  if (!isAt(situation, character.home)) {
    if (isPaused(situation, `move:${character.home}`))
      return decision(situation, { command: STAY, goal: GOAL, why: `I cannot get into ${place} just now` });
    return decision(situation, {
      command: goTo(situation, character.home),
      goal: GOAL,
      why: `it is night, and I live at ${place}`,
    });
  }
  if (self.activity === 'sleeping')
    return decision(situation, { command: STAY, goal: 'sleeping at home', why: 'it is night and I am in bed' });
  return decision(situation, {
    command: { kind: 'act', body: { kind: 'use', target: 'sleep' } },
    goal: 'sleeping at home',
    why: 'it is night and I am home: to bed',
  });
};
