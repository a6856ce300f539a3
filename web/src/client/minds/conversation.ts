import type { ChatSession, Permission, Run, RunDelta, RunEvent, SessionMessage } from '@hamlet/contract';
import { isSettled } from '@hamlet/core';
import { afterDelta, afterLostConnection, afterRun, afterRunEvent, EMPTY_TRACE, type RunTrace } from './run-trace.ts';

/** One conversation as its stream describes it. Messages are in order, each once. */
export interface Conversation {
  readonly session: ChatSession | null;
  readonly messages: readonly SessionMessage[];
  readonly traces: ReadonlyMap<string, RunTrace>;
  readonly permissions: ReadonlyMap<string, Permission>;
}

export const EMPTY_CONVERSATION: Conversation = {
  session: null,
  messages: [],
  traces: new Map(),
  permissions: new Map(),
};

/** The events of a session's stream. After `reset` the stream describes the conversation from its beginning. */
export type ConversationEvent =
  | { readonly event: 'reset'; readonly data: unknown }
  | { readonly event: 'session'; readonly data: ChatSession }
  | { readonly event: 'message'; readonly data: SessionMessage }
  | { readonly event: 'run_event'; readonly data: RunEvent }
  | { readonly event: 'run'; readonly data: Run }
  | { readonly event: 'delta'; readonly data: RunDelta }
  | { readonly event: 'permission'; readonly data: Permission };

/** Maximum number of traces kept; the oldest are dropped and read again when they are opened. */
const MAX_TRACES = 200;

/** The conversation after an event. Repeated events, and events of a replay, change nothing that is final. */
export function afterConversationEvent(state: Conversation, { event, data }: ConversationEvent): Conversation {
  switch (event) {
    case 'reset':
      return EMPTY_CONVERSATION;
    case 'session':
      return { ...state, session: data };
    case 'message':
      return withMessages(state, [data]);
    case 'run_event':
      return withTrace(state, data.run_id, (trace) => afterRunEvent(trace, data));
    case 'run':
      return withTrace(state, data.run_id, (trace) => afterRun(trace, data));
    case 'delta':
      return withTrace(state, data.run_id, (trace) => afterDelta(trace, data));
    case 'permission':
      return withPermission(state, data);
  }
}

/** Adds messages of an answer or of the stream. A message that is answered, failed or cancelled stays so. */
export function withMessages(state: Conversation, messages: readonly SessionMessage[]): Conversation {
  const byId = new Map(state.messages.map((message) => [message.message_id, message]));
  for (const message of messages) {
    const known = byId.get(message.message_id);
    if (known === undefined || replaces(message, known)) byId.set(message.message_id, message);
  }
  return { ...state, messages: [...byId.values()].toSorted((left, right) => left.number - right.number) };
}

/** A repeated event never reverts a final state or the newer version of a report. */
function replaces(message: SessionMessage, known: SessionMessage): boolean {
  return message.version >= known.version && (!isFinalMessage(known) || isFinalMessage(message));
}

export function isFinalMessage({ state }: Pick<SessionMessage, 'state'>): boolean {
  return state !== 'queued' && state !== 'working';
}

/** Adds a permission. One that was answered or has expired never waits again. */
export function withPermission(state: Conversation, permission: Permission): Conversation {
  const known = state.permissions.get(permission.permission_id);
  if (known !== undefined && RANK[known.state] > RANK[permission.state]) return state;
  return { ...state, permissions: new Map(state.permissions).set(permission.permission_id, permission) };
}

const RANK: Readonly<Record<Permission['state'], number>> = {
  pending: 0,
  allowed: 1,
  denied: 2,
  expired: 2,
  withdrawn: 2,
  consumed: 2,
};

/** The oldest question of the agent that waits for a person; null if none does. */
export function openQuestion({ permissions }: Pick<Conversation, 'permissions'>): Permission | null {
  const waiting = [...permissions.values()].filter(({ why, state }) => why === 'question' && state === 'pending');
  return waiting.toSorted((left, right) => left.asked_at.localeCompare(right.asked_at))[0] ?? null;
}

function withTrace(state: Conversation, runId: string, change: (trace: RunTrace) => RunTrace): Conversation {
  const known = state.traces.get(runId) ?? EMPTY_TRACE;
  const next = change(known);
  if (next === known && state.traces.has(runId)) return state;
  const traces = new Map(state.traces).set(runId, next);
  for (const id of traces.keys()) {
    if (traces.size <= MAX_TRACES) break;
    if (id !== runId) traces.delete(id);
  }
  return { ...state, traces };
}

/** Adds the present state of runs from an answer of the API. Ignores runs without a message. */
export function withRuns(state: Conversation, runs: readonly Run[]): Conversation {
  const asked = new Set(state.messages.map((message) => message.run_id));
  return runs
    .filter(({ run_id: id }) => asked.has(id))
    .reduce((next, run) => withTrace(next, run.run_id, (trace) => afterRun(trace, run)), state);
}

/**
 * When to read the runs of a conversation: when `version` grows (a message began or ended), and while `isStale` (a
 * message has ended, but not its run). The stream carries everything else.
 */
export function runReads({ messages, traces }: Conversation): { readonly version: number; readonly isStale: boolean } {
  const ended = messages.filter(isFinalMessage);
  return {
    version: ended.length * 2 + messages.filter(({ state }) => state === 'working').length,
    isStale: ended.some(({ run_id: id }) => {
      const run = id === null ? null : (traces.get(id)?.run ?? null);
      return run !== null && !isSettled(run.state);
    }),
  };
}

export function afterLostStream(state: Conversation): Conversation {
  const traces = new Map([...state.traces].map(([id, trace]) => [id, afterLostConnection(trace)]));
  return { ...state, traces };
}

/** A message of a person with the agent's work on it and its answer; or words of the agent or the village that answer no message. */
export interface Exchange {
  readonly key: string;
  readonly question: SessionMessage | null;
  /** Replies of people to questions of the agent during its work on the message, in order. */
  readonly replies: readonly SessionMessage[];
  readonly answer: SessionMessage | null;
  /** The newest report of long work; null for short work. */
  readonly report: SessionMessage | null;
  readonly trace: RunTrace;
  readonly permissions: readonly Permission[];
}

/** The conversation in reading order: each answer follows its question, also if later questions were asked before it. */
export function exchangesOf({ messages, traces, permissions }: Conversation): readonly Exchange[] {
  const answers = new Map<string, SessionMessage>();
  const reports = new Map<string, SessionMessage>();
  for (const message of messages) {
    if (message.author.role === 'agent' && message.in_reply_to !== null) answers.set(message.in_reply_to, message);
    if (message.progress && message.run_id !== null) reports.set(message.run_id, message);
  }
  const asked = new Set(messages.filter(isOfPerson).map(({ run_id: id }) => id));
  const byRun = Map.groupBy(permissions.values(), (permission) => permission.run_id);
  const known = new Set(messages.map(({ message_id: id }) => id));
  const replies = Map.groupBy(messages.filter(isOfPerson), ({ in_reply_to: id }) => id);
  return (
    messages
      // Answers and replies stand below their question; the village's line about its end repeats what it shows.
      .filter(({ in_reply_to: id }) => id === null || !known.has(id))
      // A report belongs to its question. Without it, in a later page of the transcript, the report stands alone.
      .filter(({ progress, run_id: runId }) => !progress || !asked.has(runId))
      .map((message): Exchange => {
        const isQuestion = isOfPerson(message);
        const runId = message.run_id;
        return {
          key: message.message_id,
          question: isQuestion ? message : null,
          replies: replies.get(message.message_id) ?? NO_MESSAGES,
          answer: isQuestion ? (answers.get(message.message_id) ?? null) : message.progress ? null : message,
          report: reportOf(message, reports),
          trace: (runId === null ? undefined : traces.get(runId)) ?? EMPTY_TRACE,
          permissions: (runId === null ? undefined : byRun.get(runId)) ?? NO_PERMISSIONS,
        };
      })
  );
}

function reportOf(message: SessionMessage, reports: ReadonlyMap<string, SessionMessage>): SessionMessage | null {
  if (message.progress) return message;
  return isOfPerson(message) ? (reports.get(message.run_id ?? '') ?? null) : null;
}

const isOfPerson = ({ author }: SessionMessage): boolean => author.role === 'member' || author.role === 'admin';
const NO_PERMISSIONS: readonly Permission[] = [];
const NO_MESSAGES: readonly SessionMessage[] = [];

export function sameExchange(left: Exchange, right: Exchange): boolean {
  return (
    left.question === right.question &&
    left.answer === right.answer &&
    left.report === right.report &&
    left.trace === right.trace &&
    isSameList(left.replies, right.replies) &&
    isSameList(left.permissions, right.permissions)
  );
}

function isSameList(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}
