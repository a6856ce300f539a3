import { followAdvice } from './board/advice.ts';
import { answerJudgement, askForHelp, replyOnBoard, tellPlan, wonder } from './board/rules.ts';
import type { Mind } from './mind.ts';
import { withEntry } from './mind.ts';
import { answer } from './rules/answer.ts';
import { attend } from './rules/attend.ts';
import { decision, isPaused, STAY } from './rules/decision.ts';
import { enjoy } from './rules/enjoy.ts';
import { errand } from './rules/errand.ts';
import { greet } from './rules/greet.ts';
import { linger } from './rules/linger.ts';
import { sleep, suspended } from './rules/sleep.ts';
import { thank } from './rules/thank.ts';
import { usePlace } from './rules/use-place.ts';
import { work } from './rules/work.ts';
import type { Decision, Rule, Situation } from './situation.ts';
import { bid, buy } from './trade/rules.ts';

/** What matters more comes first: people, here and on the board, then what the agent was given to do and advised, then the night, then company, then the day's work and wishes. */
const RULES: readonly Rule[] = [
  suspended,
  answer,
  thank,
  buy,
  replyOnBoard,
  answerJudgement,
  tellPlan,
  askForHelp,
  bid,
  work,
  followAdvice,
  sleep,
  greet,
  errand,
  usePlace,
  enjoy,
  attend,
  wonder,
  linger,
];

/** Decides one turn: the first rule that has something to say and was not refused it a moment ago. Pure. */
export function decide(situation: Situation): Decision {
  for (const rule of RULES) {
    const decided = rule(situation);
    if (decided !== null && !isPaused(situation, decided.key)) return decided;
  }
  return decision(situation, {
    command: STAY,
    goal: situation.mind.goal,
    why: 'the village refused all that I wanted, so I wait a while',
  });
}

/**
 * The mind after the world has answered. A refusal is remembered so that the next turn tries something else; `final` says that it would be refused
 * for ever, so that what was to be written on the board is done with.
 */
export function settle(
  situation: Situation,
  decided: Decision,
  answered: { readonly accepted: boolean; readonly final: boolean },
): Mind {
  if (answered.accepted) return decided.after;
  const { mind, tick } = situation;
  const board = answered.final ? decided.after.board : mind.board;
  return { ...mind, board, refused: withEntry(mind.refused, decided.key, tick) };
}
