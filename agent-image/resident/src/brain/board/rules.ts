import type { BoardNews } from '@hamlet/contract';
import { decision, nameOf, type Command, type Decision, type Rule } from '../decision.ts';
import { BOARD_ENTRIES_MAX, withEntry, withText, type BoardMind } from '../mind.ts';
import { planChange, type PlanChange } from '../resource-plan.ts';
import type { HelpRequest, Situation } from '../situation.ts';
import { fitting } from '../speech.ts';
import { adviceIn } from './advice.ts';
import { wonderOf } from './curiosity.ts';
import { nextRequest } from './help-request.ts';
import { idOf, wantsReply } from './may-reply.ts';
import {
  answerOccasion,
  explainsItself,
  helpOccasion,
  judgedOccasion,
  planOccasion,
  questionOccasion,
  type Answering,
} from './words.ts';

/** Minimum ticks between two posts about the agent's plan. Within this time the agent announces changes in speech. */
const ANNOUNCE_GAP_TICKS = 3_000;
/** The agent explains what it understands at most once in this many ticks: an hour. */
const EXPLAIN_AGAIN_TICKS = 36_000;

function board({ mind }: Situation, change: Partial<BoardMind>): { board: BoardMind } {
  return { board: { ...mind.board, ...change } };
}

export const replyOnBoard: Rule = (situation) => {
  const { mind, tick } = situation;
  const news = situation.board?.news.find((each) => wantsReply(situation, each));
  if (news === undefined) return null;
  const { post } = news;
  const from = news.reply ?? post;
  const advice = from.author_type === 'agent' ? null : adviceIn(situation, from);
  const promise = advice === null ? '' : `I am going to ${nameOf(situation, advice.landmarkId)} now, as you say.`;
  const { explainedAt } = mind.board;
  const answering = answeringOf(situation);
  return decision(situation, {
    command: {
      kind: 'reply',
      postId: post.post_id,
      to: idOf(news),
      occasion: answerOccasion(answering, news, promise),
      resolves: advice !== null && post.author_id === situation.character.agentId && post.status === 'open',
    },
    goal: mind.goal,
    why: `${from.author_name} wrote to me on the board`,
    change: board(situation, {
      passed: withText(mind.board.passed, idOf(news), BOARD_ENTRIES_MAX),
      threads: threadsAfter(situation, news),
      advice: advice ?? mind.board.advice,
      explainedAt: explainsItself(news, promise, answering.explained) ? tick : explainedAt,
    }),
  });
};

function answeringOf(situation: Situation): Answering {
  const decides = situation.thinks !== null;
  return { seed: situation.character.seed, explained: decides || hasExplained(situation), decides };
}

function hasExplained({ mind, tick }: Situation): boolean {
  const { explainedAt } = mind.board;
  return explainedAt !== null && tick - explainedAt < EXPLAIN_AGAIN_TICKS;
}

function threadsAfter({ mind, tick }: Situation, { post, reply }: BoardNews): BoardMind['threads'] {
  const { threads } = mind.board;
  if ((reply ?? post).author_type !== 'agent') return threads;
  const times = (threads[post.post_id]?.times ?? 0) + 1;
  return withEntry(threads, [post.post_id, { times, tick }], BOARD_ENTRIES_MAX);
}

/** The ledger identifies a person by account id, which means nothing to a reader. */
const judgeInWords = (source: string): string => (source.startsWith('account ') ? 'a person' : source);

/** Thanks for a reward or responds to a penalty: on the post that the ledger entry names, otherwise in speech. */
export const answerJudgement: Rule = (situation) => {
  const { mind, board: sight } = situation;
  const [judged] = sight?.judged ?? [];
  if (judged === undefined) return null;
  const { entry, post } = judged;
  const occasion = judgedOccasion(entry);
  const command: Command =
    post === null
      ? { kind: 'act', body: { kind: 'talk', text: fitting(`${occasion.fallback} ${occasion.facts}`) } }
      : { kind: 'reply', postId: post.postId, to: entry.ledger_entry_id, occasion, resolves: false };
  const why = `${judgeInWords(entry.source)} ${entry.reason === 'reward' ? 'rewarded' : 'penalized'} me`;
  return decision(situation, { command, goal: mind.goal, why, change: board(situation, { entry: entry.version }) });
};

export const announcePlan: Rule = (situation) => {
  const { mind, tick, board: sight } = situation;
  const { plan: before } = mind.board;
  const plan = sight?.plan ?? null;
  const change = before === null || plan === null ? null : planChange(before, plan);
  if (change === null) return null;
  const command = announcement(situation, change);
  const toldAt = command.kind === 'post' ? tick : mind.board.toldAt;
  return decision(situation, { command, goal: mind.goal, why: change.why, change: board(situation, { plan, toldAt }) });
};

function announcement({ mind, tick, board: sight }: Situation, change: PlanChange): Command {
  const { toldAt } = mind.board;
  if (toldAt !== null && tick - toldAt < ANNOUNCE_GAP_TICKS)
    return { kind: 'act', body: { kind: 'talk', text: fitting(change.facts) } };
  return {
    kind: 'post',
    subject: `plan ${sight?.plan?.tier ?? 'no tier'}`,
    audience: 'public',
    title: change.title,
    tags: ['news'],
    occasion: planOccasion(change),
  };
}

export const askForHelp: Rule = (situation) => {
  const { mind, tick, board: sight } = situation;
  const request = sight === null ? null : nextRequest(sight.requests, mind.board.asked, tick);
  return request === null ? null : ask(situation, request, 'help');
};

export const askOutOfCuriosity: Rule = (situation) => {
  const question = situation.board === null ? null : wonderOf(situation);
  return question === null ? null : ask(situation, question, 'question');
};

function ask(
  situation: Situation,
  { subject, audience, title, facts }: HelpRequest,
  tag: 'help' | 'question',
): Decision {
  const { mind, tick, character } = situation;
  const occasionOf = tag === 'help' ? helpOccasion : questionOccasion;
  const occasion = occasionOf(character.seed, { title, facts });
  return decision(situation, {
    command: { kind: 'post', subject, audience, title, tags: [tag], occasion },
    goal: mind.goal,
    why: tag === 'help' ? `I am blocked: ${title}` : `I would like to know: ${title}`,
    change: board(situation, { asked: withEntry(mind.board.asked, [subject, tick], BOARD_ENTRIES_MAX) }),
  });
}
