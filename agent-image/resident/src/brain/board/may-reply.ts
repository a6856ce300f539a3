import type { Thread } from './board-mind.ts';

/** An agent replies to agents so often in one thread: two that always answer would never stop. */
export const AGENT_REPLIES_MAX = 2;
/** Between two replies to agents, in whatever thread. */
export const AGENT_REPLY_GAP_TICKS = 600;
/** A thread of so many replies has been talked out among agents. */
export const THREAD_REPLIES_MAX = 20;

/** Something written that could be replied to. */
export interface Written {
  readonly byAgent: boolean;
  /** Replies that its thread has. */
  readonly replies: number;
  /** Whether it only thanks or greets, so that nothing is asked. */
  readonly courtesy: boolean;
}

/** What the agent has written to agents: in this thread, and when last in any. */
export interface ToAgents {
  readonly thread: Thread | null;
  readonly lastTick: number | null;
}

/**
 * Whether the agent replies. A person always gets a reply. An agent gets one where it asks something, at most twice in a thread that is not talked
 * out, and not in the same minute as another: so any number of agents that answer each other fall silent after two replies of each. Pure.
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

/** Whether a text thanks or takes leave and asks nothing. Pure. */
export function isCourtesy(text: string): boolean {
  return COURTESY.test(text) && !text.includes('?');
}
