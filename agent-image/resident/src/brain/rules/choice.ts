import { decision, STAY, type Command, type Decision, type Rule } from '../decision.ts';
import { enjoy, linger, usePlace } from './routine.ts';
import type { Situation } from '../situation.ts';
import { RECENT_MAX, type Chosen, type LifeMind } from '../life/life-mind.ts';
import { commandOf, optionsOf } from '../life/options.ts';
import { saying } from '../life/talk.ts';

/** The agent keeps to a choice for this long: 2 min, which are two village hours. */
export const INTENT_TICKS = 1_200;

/** Follows the decision of the model that has just arrived, if it is still possible. */
export const followThought: Rule = (situation) => {
  const chosen = situation.thought?.kind === 'choice' ? situation.thought.chosen : null;
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
    change: {
      life: withCommand(
        { ...mind.life, recent, intent: { ...act, untilTick: tick + INTENT_TICKS } },
        situation,
        command,
      ),
    },
  });
}

/** The state once the village has accepted the command: a question has its time, and words to an agent begin a conversation. */
function withCommand(life: LifeMind, { tick, neighbours }: Situation, command: Command): LifeMind {
  if (command.kind === 'post') return { ...life, askedAt: tick };
  if (command.kind !== 'act' || command.body.kind !== 'talk' || command.body.to === undefined) return life;
  const { to, text } = command.body;
  const name = neighbours.find(({ agent_id }) => agent_id === to)?.display_name ?? to;
  return saying(life, { with: to, name, text, tick });
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
