import { decision, STAY, type Command, type Decision, type Rule } from '../decision.ts';
import { enjoy, linger, usePlace } from './routine.ts';
import type { Situation } from '../situation.ts';
import { RECENT_MAX, type Chosen } from '../life/life-mind.ts';
import { commandOf, optionsOf } from '../life/options.ts';

/** The agent keeps to a choice for this long: 2 min, which are two village hours. */
export const INTENT_TICKS = 1_200;

/** Follows the decision of the model that has just arrived, if it is still possible. */
export const followThought: Rule = (situation) => {
  const chosen = situation.thought?.chosen ?? null;
  if (chosen === null || !optionsOf(situation).some(({ id }) => id === chosen.option)) return null;
  const command = commandOf(situation, chosen);
  return command === null ? null : chosenDecision(situation, chosen, command);
};

function chosenDecision(situation: Situation, { option, why, purpose }: Chosen, command: Command): Decision {
  const { mind, tick } = situation;
  const act = { tick, option, why, purpose };
  const recent = [...mind.life.recent, act].slice(-RECENT_MAX);
  return decision(situation, {
    command,
    goal: purpose === '' ? mind.goal : purpose,
    why,
    change: { life: { ...mind.life, recent, intent: { ...act, untilTick: tick + INTENT_TICKS } } },
  });
}

/** Keeps to the last choice: walks on, and stays at the chosen place with what it offers, instead of the scripted day plan. */
export const keepIntent: Rule = (situation) => {
  const { mind, tick, self } = situation;
  const { intent } = mind.life;
  if (intent === null || tick >= intent.untilTick) return null;
  if (self.moving_to !== null)
    return decision(situation, { command: STAY, goal: intent.purpose || mind.goal, why: intent.why });
  return usePlace(situation) ?? enjoy(situation) ?? linger(situation);
};
