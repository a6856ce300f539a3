import type { BoardNews } from '@hamlet/contract';
import { newsOfPlan } from '../plan-of-tier.ts';
import type { PlanNews } from '../plan-of-tier.ts';
import { decision, nameOf } from '../rules/decision.ts';
import type { Command, Rule, Situation } from '../situation.ts';
import { fitting } from '../speech.ts';
import { adviceIn } from './advice.ts';
import { wonderOf } from './curiosity.ts';
import { withPassed, withRecent } from './board-mind.ts';
import type { BoardMind } from './board-mind.ts';
import { isCourtesy, mayReply } from './may-reply.ts';
import { needToAsk } from './need.ts';
import {
  answerOccasion,
  explainsItself,
  helpOccasion,
  judgedOccasion,
  planOccasion,
  questionOccasion,
} from './words.ts';

/** Between two posts about its tier, in ticks; a change in between is told aloud. */
const TELL_GAP_TICKS = 3_000;
/** It says what it does understand once an hour. */
const EXPLAIN_AGAIN_TICKS = 36_000;

function board(situation: Situation, change: Partial<BoardMind>): { board: BoardMind } {
  return { board: { ...situation.mind.board, ...change } };
}

function idOf({ post, reply }: BoardNews): string {
  return reply?.reply_id ?? post.post_id;
}

/** Whether the agent has something to say to a piece of news. Pure. */
export function wantsReply(
  { mind, tick, character }: Pick<Situation, 'mind' | 'tick' | 'character'>,
  news: BoardNews,
): boolean {
  const { threads, passed } = mind.board;
  const { author_type: by, author_id: author, body } = news.reply ?? news.post;
  if (
    news.answered ||
    author === character.agentId ||
    passed.includes(idOf(news)) ||
    news.post.status === 'closed' ||
    news.post.status === 'moderated'
  )
    return false;
  const ticks = Object.values(threads).map((thread) => thread.tick);
  const toAgents = {
    thread: threads[news.post.post_id] ?? null,
    lastTick: ticks.length === 0 ? null : Math.max(...ticks),
  };
  return mayReply({ byAgent: by === 'agent', replies: news.post.replies, courtesy: isCourtesy(body) }, toAgents, tick);
}

function repliedTo({ mind, tick }: Situation, { post, reply }: BoardNews): Pick<BoardMind, 'threads'> {
  const { threads } = mind.board;
  if ((reply ?? post).author_type !== 'agent') return { threads };
  return { threads: withRecent(threads, post.post_id, { times: (threads[post.post_id]?.times ?? 0) + 1, tick }) };
}

/** Whether it lately said what it does understand, and when it will have done so with this reply. */
function explaining(
  { mind, tick }: Situation,
  news: BoardNews,
  deed: string,
): { readonly explained: boolean; readonly explainedAt: number | null } {
  const { explainedAt } = mind.board;
  const explained = explainedAt !== null && tick - explainedAt < EXPLAIN_AGAIN_TICKS;
  return { explained, explainedAt: explainsItself(news, deed, explained) ? tick : explainedAt };
}

/** Replies to who wrote to the agent, and takes up what a person advises. */
export const replyOnBoard: Rule = (situation) => {
  const { mind, character } = situation;
  const news = situation.board?.news.find((each) => wantsReply(situation, each));
  if (news === undefined) return null;
  const { post } = news;
  const from = news.reply ?? post;
  const advice = from.author_type === 'agent' ? null : adviceIn(situation, from);
  const deed = advice === null ? '' : `I am going to ${nameOf(situation, advice.landmarkId)} now, as you say.`;
  const resolves = advice !== null && post.author_id === character.agentId && post.status === 'open';
  const { explained, explainedAt } = explaining(situation, news, deed);
  const passed = withPassed(mind.board.passed, idOf(news));
  return decision(situation, {
    command: {
      kind: 'reply',
      postId: post.post_id,
      to: idOf(news),
      occasion: answerOccasion({ seed: character.seed, explained }, news, deed),
      resolves,
    },
    goal: mind.goal,
    why: `${from.author_name} wrote to me on the board`,
    change: board(situation, {
      passed,
      ...repliedTo(situation, news),
      advice: advice ?? mind.board.advice,
      explainedAt,
    }),
  });
};

/** Thanks for a reward and answers for a penalty: where it was given, or aloud. */
export const answerJudgement: Rule = (situation) => {
  const { mind, board: sight } = situation;
  const [judged] = sight?.judged ?? [];
  if (sight === null || judged === undefined) return null;
  const { entry, post } = judged;
  const occasion = judgedOccasion(entry);
  const command =
    post === null
      ? {
          kind: 'act' as const,
          body: { kind: 'talk' as const, text: fitting(`${occasion.fallback} ${occasion.facts}`) },
        }
      : { kind: 'reply' as const, postId: post.postId, to: entry.ledger_entry_id, occasion, resolves: false };
  const why = entry.reason === 'reward' ? `${entry.source} rewarded me` : `${entry.source} penalized me`;
  return decision(situation, { command, goal: mind.goal, why, change: board(situation, { entry: entry.version }) });
};

/** On the board; aloud where it wrote there about another plan a moment ago. */
function tell({ mind, tick, board: sight }: Situation, news: PlanNews): Command {
  const { toldAt } = mind.board;
  if (toldAt !== null && tick - toldAt < TELL_GAP_TICKS)
    return { kind: 'act', body: { kind: 'talk', text: fitting(news.facts) } };
  return {
    kind: 'post',
    subject: `plan ${sight?.plan?.tier ?? 'no tier'}`,
    audience: 'public',
    title: news.title,
    tags: ['news'],
    occasion: planOccasion(news),
  };
}

/** Says how it goes on when its means have changed. A plan that is not known yet is no change, and neither is the first that is. */
export const tellPlan: Rule = (situation) => {
  const { mind, tick, board: sight } = situation;
  const { plan: before } = mind.board;
  const plan = sight?.plan ?? null;
  const news = before === null || plan === null ? null : newsOfPlan(before, plan);
  if (news === null) return null;
  const command = tell(situation, news);
  const toldAt = command.kind === 'post' ? tick : mind.board.toldAt;
  return decision(situation, { command, goal: mind.goal, why: news.why, change: board(situation, { plan, toldAt }) });
};

/** Asks for help with what keeps it from its work. */
export const askForHelp: Rule = (situation) => {
  const { mind, tick, character, board: sight } = situation;
  const need = sight === null ? null : needToAsk(sight.needs, mind.board.asked, tick);
  if (need === null) return null;
  const { subject, audience, title, facts } = need;
  return decision(situation, {
    command: {
      kind: 'post',
      subject,
      audience,
      title,
      tags: ['help'],
      occasion: helpOccasion(character.seed, { title, facts }),
    },
    goal: mind.goal,
    why: `I am blocked: ${title}`,
    change: board(situation, { asked: withRecent(mind.board.asked, subject, tick) }),
  });
};

/** Asks the village what it would like to know. */
export const wonder: Rule = (situation) => {
  const { mind, tick, character } = situation;
  const question = situation.board === null ? null : wonderOf(situation);
  if (question === null) return null;
  const { subject, audience, title, facts } = question;
  return decision(situation, {
    command: {
      kind: 'post',
      subject,
      audience,
      title,
      tags: ['question'],
      occasion: questionOccasion(character.seed, { title, facts }),
    },
    goal: mind.goal,
    why: `I would like to know: ${title}`,
    change: board(situation, { asked: withRecent(mind.board.asked, subject, tick) }),
  });
};
