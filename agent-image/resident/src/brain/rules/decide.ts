import { followAdvice } from '../board/advice.ts';
import { announcePlan, answerJudgement, askForHelp, askOutOfCuriosity, replyOnBoard } from '../board/rules.ts';
import { decision, isPaused, STAY, type Decision, type Rule } from '../decision.ts';
import {
  enjoy,
  followDayPlan,
  followThought,
  keepIntent,
  linger,
  sleep,
  suspended,
  usePlace,
  work,
} from './routine.ts';
import { withEntry, type Mind } from '../mind.ts';
import type { Situation } from '../situation.ts';
import { bid, buy } from '../trade.ts';
import { answer, converse, greet, listen, thank } from './company.ts';
import { errand } from './errand.ts';

/** In order of priority: people here and on the board, runs, advice, the night, company, then the day's own plans. */
const RULES: readonly Rule[] = [
  suspended,
  answer,
  thank,
  converse,
  buy,
  replyOnBoard,
  answerJudgement,
  announcePlan,
  askForHelp,
  bid,
  work,
  followAdvice,
  sleep,
  greet,
  listen,
  followThought,
  keepIntent,
  errand,
  usePlace,
  enjoy,
  followDayPlan,
  askOutOfCuriosity,
  linger,
];

/** Decides one turn: the first rule that applies, unless the village has recently refused the same command. Pure. */
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

/** The mind after the village's answer. It stores a refusal; after a `final` one the agent gives up the post or reply. */
export function settle(
  situation: Situation,
  decided: Decision,
  answered: { readonly accepted: boolean; readonly final: boolean },
): Mind {
  if (answered.accepted) return decided.after;
  const { mind, tick } = situation;
  const board = answered.final ? decided.after.board : mind.board;
  return { ...mind, board, refused: withEntry(mind.refused, [decided.key, tick]) };
}
