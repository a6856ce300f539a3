import type { MessageState, RunState, SessionState } from '@hamlet/contract';

interface SessionFacts {
  readonly paused: boolean;
  readonly terminated: boolean;
  /** True if the agent works on a message. */
  readonly working: boolean;
}

export function sessionState({ paused, terminated, working }: SessionFacts): SessionState {
  if (terminated) return 'terminated';
  if (paused) return 'paused';
  return working ? 'running' : 'idle';
}

export type SessionReader =
  | { readonly kind: 'person'; readonly id: string; readonly isAdmin: boolean }
  | { readonly kind: 'agent'; readonly agentId: string }
  | { readonly kind: 'stranger' };

/** `as_admin`: the reader is not one of the session's people, so the audit must name them. */
export type SessionAccess = 'own' | 'as_admin' | 'none';

/** Decides whether a reader may read a session. Pure. */
export function sessionAccess(
  session: { readonly agentId: string; readonly people: readonly { readonly id: string }[] },
  reader: SessionReader,
): SessionAccess {
  if (reader.kind === 'stranger') return 'none';
  if (reader.kind === 'agent') return reader.agentId === session.agentId ? 'own' : 'none';
  if (session.people.some(({ id }) => id === reader.id)) return 'own';
  return reader.isAdmin ? 'as_admin' : 'none';
}

interface SendFacts {
  readonly terminated: boolean;
  /** Number of messages in the session, of its waiting messages, and of the agent's waiting runs. */
  readonly messages: number;
  readonly waiting: number;
  readonly waitingOfAgent: number;
}

interface SendLimits {
  readonly messagesMax: number;
  readonly waitingMax: number;
  readonly waitingOfAgentMax: number;
}

/** The reason why a session refuses a message; null if it accepts one. Reserves room for the answer. */
export function refuseMessage(
  { terminated, messages, waiting, waitingOfAgent }: SendFacts,
  limits: SendLimits,
): 'session_terminated' | 'session_full' | 'session_queue_full' | 'run_queue_full' | null {
  if (terminated) return 'session_terminated';
  if (messages + 2 * (waiting + 1) > limits.messagesMax) return 'session_full';
  if (waiting >= limits.waitingMax) return 'session_queue_full';
  return waitingOfAgent >= limits.waitingOfAgentMax ? 'run_queue_full' : null;
}

/** The state of a message from its run. A run that ends without an answer fails its message. */
export function messageStateOf(run: RunState, hasAnswer: boolean): MessageState {
  switch (run) {
    case 'queued':
      return 'queued';
    case 'running':
    case 'waiting_permission':
      return 'working';
    case 'done':
      return hasAnswer ? 'answered' : 'failed';
    case 'failed':
    case 'cancelled':
      return run;
  }
}

/** The line of the transcript that says why a message has no answer. */
export function endLine(state: 'failed' | 'cancelled', error: { readonly message: string } | null): string {
  if (state === 'cancelled') return error === null ? 'The message was cancelled.' : `Cancelled: ${error.message}`;
  return error === null ? 'The agent ended without an answer.' : `Failed: ${error.message}`;
}

const TITLE_CHARS = 80;

/** Markdown of headings, lists and quotes at the beginning, of bold text and of code. */
const MARKS = /^(?:#{1,6}|[-*>]|\d{1,3}[.)])\s+|\*\*|`/g;

/** The title of a session by its first message, or of a run by its task: the first line, without Markdown. */
export function titleFrom(text: string): string {
  const line = (text.trim().split('\n')[0] ?? '').replaceAll(MARKS, '').replaceAll(/\s+/g, ' ').trim();
  const chars = [...line];
  return chars.length <= TITLE_CHARS
    ? line
    : `${chars
        .slice(0, TITLE_CHARS - 1)
        .join('')
        .trimEnd()}…`;
}

/** The facts about an agent for idle sleep and waking. Times in ms by the database's clock. */
export interface RestFacts {
  readonly power: 'Awake' | 'Asleep';
  /** True if the village itself put the agent to sleep; false for an agent that a person suspended. */
  readonly idle: boolean;
  /** True if a message wakes the agent; a Schedule, another run and the board always do. */
  readonly wake: 'OnMessage' | 'Never';
  readonly idleSleepAfterMs: number | null;
  /** True during a measure or deletion, when idle sleep and waking do not apply. */
  readonly held: boolean;
  /** Unfinished runs, except those that a paused session holds: `message` if all come from messages. */
  readonly work: 'message' | 'other' | null;
  /** Newest run, message, post on the board or act of a person; null if there was none. */
  readonly activeAtMs: number | null;
  /** Newest post or reply on the board that is addressed to the agent; null if there is none. */
  readonly addressedAtMs: number | null;
  /** Start of the idle sleep; null if the agent is not asleep. */
  readonly asleepSinceMs: number | null;
  readonly nowMs: number;
}

type RestVerdict = 'sleep' | 'wake' | 'stay';

/** Decides on idle sleep and waking. Pure. */
export function decideRest(facts: RestFacts): RestVerdict {
  if (facts.held) return 'stay';
  if (facts.power === 'Awake') return mayRest(facts) ? 'sleep' : 'stay';
  return facts.idle && mustWake(facts) ? 'wake' : 'stay';
}

function mayRest({ idleSleepAfterMs, activeAtMs, work, nowMs }: RestFacts): boolean {
  if (idleSleepAfterMs === null || work !== null || activeAtMs === null) return false;
  return nowMs - activeAtMs >= idleSleepAfterMs;
}

function mustWake({ wake, work, addressedAtMs, asleepSinceMs }: RestFacts): boolean {
  if (work === 'other' || (work === 'message' && wake === 'OnMessage')) return true;
  return addressedAtMs !== null && asleepSinceMs !== null && addressedAtMs > asleepSinceMs;
}
