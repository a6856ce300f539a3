import { REACH_TILES } from '@hamlet/contract/resident';
import type { MoveBody } from '@hamlet/contract';
import { chance, choose } from '../chance.ts';
import { planDay } from '../day-plan.ts';
import { decision, goTo, isPaused, keyOf, nameOf, STAY, type Command, type Decision, type Rule } from '../decision.ts';
import { tilesBetween, type LyingItem, type Situation } from '../situation.ts';
import { MEALS } from './routine.ts';

/** The agent chooses among this many of the nearest items, so that agents do not all run to the same one. */
const CHOICE_OF_ITEMS = 4;

export const errand: Rule = (situation) => {
  const { self, mind, character, landmarks, day, minute } = situation;
  const plan = planDay(character, landmarks, day);
  if (mind.delivered || minute < plan.errandFrom || plan.errandTo === null) return null;
  const held = self.inventory.find(({ kind }) => !MEALS.includes(kind));
  if (held !== undefined) return deliver(situation, held, plan.errandTo);
  const item = wanted(situation, plan.errandTo);
  return item === undefined ? null : fetchItem(situation, item);
};

function deliver(situation: Situation, { item_id, kind }: { item_id: string; kind: string }, to: string): Decision {
  const place = nameOf(situation, to);
  const goal = `bringing the ${kind} to ${place}`;
  if (!isBeside(situation, to))
    return decision(situation, {
      command: goTo(situation, to),
      goal,
      why: `the ${kind} is of use at ${place}`,
    });
  const aside = situation.items.some((item) => tilesBetween(item.position, situation.self.position) === 0)
    ? stepAside(situation)
    : null;
  if (aside !== null) return decision(situation, { command: aside, goal, why: 'another thing lies here already' });
  return decision(situation, {
    command: { kind: 'act', body: { kind: 'drop', item_id } },
    goal,
    why: `I have brought the ${kind} to ${place}`,
    change: { delivered: true },
  });
}

function isBeside({ self, landmarks }: Situation, landmarkId: string): boolean {
  const slots = landmarks.find(({ landmark_id }) => landmark_id === landmarkId)?.slots ?? [];
  return self.moving_to === null && slots.some((slot) => tilesBetween(slot, self.position) <= 1);
}

const STEPS: readonly MoveBody[] = [
  { dx: 1, dy: 0 },
  { dx: -1, dy: 0 },
  { dx: 0, dy: 1 },
  { dx: 0, dy: -1 },
];

/** A step in a direction that the village has not refused; null if it has refused all four. */
function stepAside(situation: Situation): Command | null {
  const { character, tick } = situation;
  const steps = STEPS.map((body): Command => ({ kind: 'move', body })).filter(
    (step) => !isPaused(situation, keyOf(step)),
  );
  return choose(steps, chance(character.seed, character.agentId, tick, 'step')) ?? null;
}

function fetchItem(situation: Situation, { item_id, kind, position }: LyingItem): Decision {
  const { self } = situation;
  const goal = `fetching the ${kind}`;
  const why = 'it lies about and could be of use';
  if (tilesBetween(position, self.position) <= REACH_TILES && self.moving_to === null) {
    return decision(situation, { command: { kind: 'act', body: { kind: 'pick_up', item_id } }, goal, why });
  }
  return decision(situation, {
    command: isHeadingFor(situation, position) ? STAY : { kind: 'move', body: { x: position.x, y: position.y } },
    goal,
    why,
  });
}

/** The item to which the agent walks, or one within reach, or a random one of the nearest; never one at the destination. */
function wanted(situation: Situation, to: string): LyingItem | undefined {
  const { self, items, character, day, landmarks } = situation;
  const there = landmarks.find(({ landmark_id }) => landmark_id === to);
  const isThere = ({ position }: LyingItem) =>
    there?.slots.some(({ x, y }) => x === position.x && y === position.y) ?? false;
  const free = items.filter(
    (item) =>
      !isThere(item) &&
      !isPaused(situation, `pick_up:${item.item_id}`) &&
      !isPaused(situation, `move:${item.position.x},${item.position.y}`),
  );
  const target = free.find(({ position }) => isHeadingFor(situation, position));
  const near = free.find(({ position }) => tilesBetween(position, self.position) <= REACH_TILES);
  return (
    target ?? near ?? choose(free.slice(0, CHOICE_OF_ITEMS), chance(character.seed, character.agentId, day, 'item'))
  );
}

function isHeadingFor({ self }: Situation, { x, y }: LyingItem['position']): boolean {
  return self.moving_to !== null && self.moving_to.x === x && self.moving_to.y === y;
}
