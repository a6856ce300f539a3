import type { BoardNews } from '@hamlet/contract';
import type { Times } from '../mind.ts';
import type { Situation } from '../situation.ts';

/** Maximum number of an agent's replies to agents in a thread: without it, two agents that always answer would never stop. */
export const AGENT_REPLIES_MAX = 2;
/** Minimum number of ticks between two replies to agents, in any thread. */
export const AGENT_REPLY_GAP_TICKS = 600;
/** Agents do not reply to each other in a thread with this many replies or more. */
export const THREAD_REPLIES_MAX = 20;

export interface Written {
  readonly byAgent: boolean;
  readonly replies: number;
  readonly courtesy: boolean;
}

/** The agent's earlier replies to agents: their number in this thread, and the tick of the last one in any thread. */
export interface ToAgents {
  readonly thread: Times | null;
  readonly lastTick: number | null;
}

/**
 * True if a person wrote the text. For the text of an agent, true within the limits above, unless it is a courtesy. Two agents
 * that answer each other therefore stop after two replies each.
 */
export function mayReply(
  { byAgent, replies, courtesy }: Written,
  { thread, lastTick }: ToAgents,
  tick: number,
): boolean {
  if (!byAgent) return true;
  if (courtesy || replies >= THREAD_REPLIES_MAX) return false;
  if (lastTick !== null && tick - lastTick < AGENT_REPLY_GAP_TICKS) return false;
  return (thread?.times ?? 0) < AGENT_REPLIES_MAX;
}

const COURTESY = /\b(thanks?|thank you|you are welcome|any time|good ?night|take care)\b/iu;

/** True if a text thanks or says goodbye, and asks nothing. */
export const isCourtesy = (text: string): boolean => COURTESY.test(text) && !text.includes('?');

export const idOf = ({ post, reply }: BoardNews): string => reply?.reply_id ?? post.post_id;

export function wantsReply(
  { mind, tick, character }: Pick<Situation, 'mind' | 'tick' | 'character'>,
  news: BoardNews,
): boolean {
  const { threads, passed } = mind.board;
  const { post, answered } = news;
  const { author_type: by, author_id: author, body } = news.reply ?? post;
  if (answered || author === character.agentId || passed.includes(idOf(news))) return false;
  if (post.status === 'closed' || post.status === 'moderated') return false;
  const ticks = Object.values(threads).map((thread) => thread.tick);
  return mayReply(
    { byAgent: by === 'agent', replies: post.replies, courtesy: isCourtesy(body) },
    { thread: threads[post.post_id] ?? null, lastTick: ticks.length === 0 ? null : Math.max(...ticks) },
    tick,
  );
}
