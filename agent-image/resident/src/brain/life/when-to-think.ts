import { EARSHOT_TILES } from '@hamlet/contract/resident';
import { isBedtime, planDay } from '../day-plan.ts';
import { tilesBetween, type Situation } from '../situation.ts';
import { tokensLeft } from './life-mind.ts';

/** Minimum time between two decisions: 30 s. */
export const DECISION_GAP_TICKS = 300;
/** Without any change, the agent decides again after this time: 15 min, which are 15 village hours. */
const DECIDE_AGAIN_TICKS = 9_000;
export const DECISION_TOKENS = 2_500;
/** Least number of tokens that must be left to read a conversation. */
export const READING_TOKENS = 5_000;

/** The parts of a situation on which a decision depends. Two situations with the same key need only one decision. */
export function situationKey({ self, neighbours, items, phase, board, mind }: Situation): string {
  const near = neighbours.filter(({ position }) => tilesBetween(position, self.position) <= EARSHOT_TILES);
  return JSON.stringify([
    self.landmark_id,
    phase,
    near.map(({ agent_id }) => agent_id).toSorted(),
    [...new Set(items.map(({ kind }) => kind))].toSorted(),
    self.inventory.map(({ kind }) => kind).toSorted(),
    board?.entry ?? mind.board.entry,
    board?.plan?.tier ?? mind.board.plan?.tier ?? null,
    mind.life.news.findLast(({ from }) => from === 'board')?.id ?? null,
  ]).slice(0, 600);
}

/**
 * True if the agent should ask its model for a decision now: it stands, is free and awake, the situation has changed, and a
 * share of the tier's hourly tokens for its life still covers a decision. Pure.
 */
export function isTimeToThink(situation: Situation): boolean {
  const { self, mind, tick, day, minute, work, character, landmarks, thinks } = situation;
  const { life } = mind;
  if (thinks === null) return false;
  if (self.power === 'Asleep' || self.moving_to !== null || work !== null) return false;
  if (isBedtime(planDay(character, landmarks, day), minute)) return false;
  const since = life.decidedAt === null ? Infinity : tick - life.decidedAt;
  if (since < DECISION_GAP_TICKS) return false;
  if (situationKey(situation) === life.decidedOn && since < DECIDE_AGAIN_TICKS) return false;
  return tokensLeft(life, tick, thinks.tokensPerHour) >= DECISION_TOKENS;
}

/**
 * True if the agent may read a conversation that has rested: it is awake, no run works or waits for its model, and enough of the
 * tokens for its life are left. Pure.
 */
export function isTimeToRead({ self, mind, tick, work, thinks }: Situation): boolean {
  if (thinks === null || self.power === 'Asleep' || work !== null) return false;
  return tokensLeft(mind.life, tick, thinks.tokensPerHour) >= READING_TOKENS;
}
