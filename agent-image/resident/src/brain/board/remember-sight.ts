import type { Situation } from '../situation.ts';
import type { BoardMind } from './board-mind.ts';
import { wantsReply } from './rules.ts';

/**
 * What the agent knows of the board before it decides. News that ask nothing of it are done with; judgements that it has not answered are looked up
 * again until it has; the plan that it finds at first is no change of plan. Pure.
 */
export function rememberSight(situation: Situation): BoardMind {
  const {
    mind: { board },
    board: sight,
  } = situation;
  if (sight === null) return board;
  const { news, nextAfter, judged, entry, balance, plan } = sight;
  const answeredAll = judged.length === 0;
  const readAll = nextAfter !== null && !news.some((each) => wantsReply(situation, each));
  return {
    ...board,
    after: readAll ? nextAfter : board.after,
    entry: answeredAll ? (entry ?? board.entry) : board.entry,
    balance: answeredAll ? balance : board.balance,
    plan: board.plan ?? plan,
  };
}
