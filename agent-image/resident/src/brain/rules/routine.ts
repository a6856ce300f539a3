import { EARSHOT_TILES } from '@hamlet/contract/resident';
import type { Affordance, ItemKind } from '@hamlet/contract';
import { chance, seedOf } from '../chance.ts';
import { isBedtime, planDay, stopAt } from '../day-plan.ts';
import { decision, goTo, isAt, isPaused, nameOf, STAY, type Command, type Decision, type Rule } from '../decision.ts';
import { actionAt, doingHere, mayDo } from '../doing.ts';
import { withText } from '../mind.ts';
import { placeOf, tilesBetween, type Situation } from '../situation.ts';
import { remark } from '../speech.ts';
import { placeInWords } from '../words.ts';
import { RECENT_MAX, type Chosen, type LifeMind } from '../life/life-mind.ts';
import { commandOf, optionsOf } from '../life/options.ts';
import { saying } from '../life/talk.ts';

const REMARK_CHANCE = 0.15;
const SMILE_CHANCE = 0.15;
/** Pastimes, in order of preference. None of them yields an item, so no items pile up. */
const PASTIMES: readonly Affordance[] = ['sit', 'rest', 'read', 'stargaze'];
/** Items that the agent consumes itself and does not deliver. */
export const MEALS: readonly ItemKind[] = ['coffee', 'bread', 'fish'];
/** Items that the agent consumes only after the day's errand is done. */
const USED_UP: readonly ItemKind[] = ['apple', 'wood'];
const GO_HOME = 'going home to sleep';

/** A suspended agent does nothing: its process is about to end. */
export const suspended: Rule = (situation) =>
  situation.self.power === 'Asleep'
    ? decision(situation, { command: STAY, goal: 'sleeping', why: 'my power is Asleep' })
    : null;

export const work: Rule = (situation) =>
  situation.work === null
    ? null
    : decision(situation, {
        command: STAY,
        goal: situation.mind.goal,
        why: 'I am at work on something I was asked to do',
      });

export const sleep: Rule = (situation) => {
  const { self, character, landmarks, day, minute } = situation;
  if (!isBedtime(planDay(character, landmarks, day), minute)) return null;
  const place = nameOf(situation, character.home);
  if (!isAt(situation, character.home)) {
    const why = `it is night, and I live at ${place}`;
    return isPaused(situation, `move:${character.home}`)
      ? decision(situation, { command: STAY, goal: GO_HOME, why: `I cannot get into ${place} just now` })
      : decision(situation, { command: goTo(situation, character.home), goal: GO_HOME, why });
  }
  const goal = 'sleeping at home';
  return self.activity === 'sleeping'
    ? decision(situation, { command: STAY, goal, why: 'it is night and I am in bed' })
    : decision(situation, {
        command: { kind: 'act', body: { kind: 'use', target: 'sleep' } },
        goal,
        why: 'it is night and I am home: to bed',
      });
};

export const usePlace: Rule = (situation) => {
  const place = placeOf(situation);
  const { visited } = situation.mind;
  if (place === undefined || place.kind === 'home' || visited.includes(place.landmark_id)) return null;
  const [use] = place.affordances;
  const name = placeInWords(place);
  return decision(situation, {
    command: { kind: 'act', body: actionAt(place) },
    goal: `spending time at ${name}`,
    why: use === undefined ? `I am at ${name}` : `I am at ${name}, where one can ${mayDo(use)}`,
    change: { visited: [...visited, place.landmark_id] },
  });
};

export const enjoy: Rule = (situation) => {
  const { self, mind } = situation;
  if (self.moving_to !== null) return null;
  const item = self.inventory.find(({ kind }) => MEALS.includes(kind) || (mind.delivered && USED_UP.includes(kind)));
  if (item === undefined) return null;
  return decision(situation, {
    command: { kind: 'act', body: { kind: 'use', target: item.item_id } },
    goal: mind.goal,
    why: `I have ${item.kind}, and it is for me`,
  });
};

/** Goes to the current stop of the day plan. The agent states the reason of a stop once a day. */
export const followDayPlan: Rule = (situation) => {
  const { character, landmarks, day, minute, mind } = situation;
  const stop = stopAt(planDay(character, landmarks, day), minute);
  if (stop === undefined || isAt(situation, stop.landmarkId)) return null;
  const command = goTo(situation, stop.landmarkId);
  const isReturn = command !== STAY && mind.said.includes(stop.why);
  return decision(situation, {
    command,
    goal: `walking to ${nameOf(situation, stop.landmarkId)}`,
    why: isReturn ? 'that is where I want to be at this hour' : stop.why,
    change: { said: withText(mind.said, stop.why) },
  });
};

export const linger: Rule = (situation) => {
  const { self, character, tick, mind, neighbours } = situation;
  if (self.moving_to !== null) return decision(situation, { command: STAY, goal: mind.goal, why: 'I am on my way' });
  const random = chance(character.seed, character.agentId, tick, 'linger');
  const hasCompany = neighbours.some(({ position }) => tilesBetween(position, self.position) <= EARSHOT_TILES);
  return (hasCompany ? amongOthers(situation, random) : null) ?? passTime(situation);
};

function amongOthers(situation: Situation, random: number): Decision | null {
  const { character, tick, mind } = situation;
  const text = remark(seedOf(character.seed, character.agentId, tick), mind.said);
  const { goal } = mind;
  const why = 'there is company';
  if (random < REMARK_CHANCE && text !== null)
    return decision(situation, {
      command: { kind: 'act', body: { kind: 'talk', text } },
      goal,
      why,
      change: { said: withText(mind.said, text) },
    });
  if (random >= REMARK_CHANCE + SMILE_CHANCE) return null;
  return decision(situation, { command: { kind: 'act', body: { kind: 'emote', emote: 'smile' } }, goal, why });
}

function passTime(situation: Situation): Decision {
  const { self, landmarks } = situation;
  const goal = doingHere(self, landmarks) ?? 'looking about';
  const place = placeOf(situation);
  const pastime = PASTIMES.find((use) => place?.affordances.includes(use) === true);
  const why = 'I have time until the next hour of my day';
  if (self.activity !== 'idle' || place === undefined || pastime === undefined || isPaused(situation, `use:${pastime}`))
    return decision(situation, { command: STAY, goal, why });
  return decision(situation, {
    command: { kind: 'act', body: { kind: 'use', target: pastime } },
    goal,
    why: `${why}, and one can ${mayDo(pastime)} at ${placeInWords(place)}`,
  });
}

/** How long the agent follows a choice: 2 min, which are two village hours. */
export const INTENT_TICKS = 1_200;

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

/** The state after an accepted command: the time of a question, and a new conversation after words to an agent. */
function withCommand(life: LifeMind, { tick, neighbours }: Situation, command: Command): LifeMind {
  if (command.kind === 'post') return { ...life, askedAt: tick };
  if (command.kind !== 'act' || command.body.kind !== 'talk' || command.body.to === undefined) return life;
  const { to, text } = command.body;
  const name = neighbours.find(({ agent_id }) => agent_id === to)?.display_name ?? to;
  return saying(life, { with: to, name, text, tick });
}

/** Follows the last choice instead of the scripted day plan: walks on, and uses the chosen place. */
export const keepIntent: Rule = (situation) => {
  const { mind, tick, self } = situation;
  const { intent } = mind.life;
  if (intent === null || tick >= intent.untilTick) return null;
  if (self.moving_to !== null)
    return decision(situation, { command: STAY, goal: intent.purpose || mind.goal, why: intent.why });
  return usePlace(situation) ?? enjoy(situation) ?? linger(situation);
};
