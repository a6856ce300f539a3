import type { AgentDetail, ChatSession, Permission, Role, Run, SessionMessage } from '@hamlet/contract';
import { runtimeFacts } from '@hamlet/core';
import { isOwn, moneyLabel, type ViewerId } from '../../client/labels.ts';
import type { Wake } from '../../client/minds/message-outbox.ts';
import type { Exchange } from '../../client/minds/conversation.ts';
import type { TraceItem } from '../../client/minds/trace-items.ts';
import type { Tone } from '../../ui/controls.tsx';
import { lengthLabel } from '../../ui/time-labels.ts';
import { failureCause } from '../models/model-labels.ts';
import { toolLabel } from '../permissions/tool-labels.ts';
import { endedAtLimit, failureSentence } from '../runs/run-advice.ts';

/** The parts of an agent that decide when it answers. */
export type Listener = Pick<AgentDetail, 'display_name' | 'power'> & { readonly wake: Wake | null };

const ASLEEP: Readonly<Record<Wake, string>> = {
  awake: 'the message waits until it is awake.',
  waking: 'this message wakes it.',
  suspended: 'an admin suspended it. It answers after an admin awakens it.',
  never: 'messages do not wake it. It answers after an admin awakens it.',
};

type StateLabel = Readonly<{ word: string; tone: Tone }>;

const SESSION_STATES: Readonly<Record<ChatSession['state'], StateLabel>> = {
  running: { word: 'Working', tone: 'waiting' },
  idle: { word: 'Idle', tone: 'good' },
  paused: { word: 'Paused', tone: 'sleep' },
  terminated: { word: 'Ended', tone: 'sleep' },
};

/** The state of a conversation; one that works may wait for the answer to a request. */
export function sessionLabel(
  { session_id: id, state }: Pick<ChatSession, 'session_id' | 'state'>,
  pending: readonly Pick<Permission, 'session_id'>[],
): StateLabel {
  if (state === 'running' && pending.some(({ session_id }) => session_id === id))
    return { word: 'Waits for a person', tone: 'waiting' };
  return SESSION_STATES[state];
}

export function authorLabel({ author }: Pick<SessionMessage, 'author'>, viewer: ViewerId): string {
  if (author.role === 'system') return 'Village';
  return author.role !== 'agent' && (isOwn(author.id, viewer) || author.id === viewer) ? 'You' : author.name;
}

interface QueuePlace {
  readonly session: Pick<ChatSession, 'state'> | null;
  readonly agent: Listener;
  /** Number of earlier messages of the conversation that have no answer yet. */
  readonly before: number;
}

export function queueLabel({ session, agent, before }: QueuePlace): string {
  const name = agent.display_name;
  if (session?.state === 'paused') return 'Held: the conversation is paused.';
  if (agent.power === 'Asleep') return `${name} is asleep: ${ASLEEP[agent.wake ?? 'awake']}`;
  if (before > 0) return before === 1 ? 'After the message before it.' : `After the ${before} messages before it.`;
  return `Waiting for ${name}’s turn.`;
}

/** Shown while an agent is at a limit of its tier; null if it is not. `local` formats a time. */
export function limitLabel(
  name: string,
  reached: AgentDetail['limit_reached'],
  local: (time: string) => string,
): string | null {
  if (reached === undefined) return null;
  return `${name} has used the ${reached.quota} requests a minute of its tier. It continues at ${local(reached.until)}.`;
}

/** Shown above the field for a message: the reason why an answer may take longer than usual; null if there is none. */
export function beforeSendingLabel(agent: Pick<Listener, 'display_name' | 'power'>): string | null {
  return agent.power === 'Awake'
    ? null
    : `${agent.display_name} is asleep. A message wakes it, unless an admin suspended it.`;
}

/** The present work of the agent. The words of a program stay open while it waits for a person, so the wait comes first. */
export function workingLabel(name: string, items: readonly TraceItem[], isWriting: boolean): string {
  if (items.some((item) => item.kind === 'call' && item.state === 'waiting')) return `${name} waits for a person`;
  if (isWriting) return `${name} is writing`;
  const last = items.findLast((item) => item.kind !== 'note');
  if (last === undefined) return `${name} begins`;
  if (last.kind === 'said') return `${name} is thinking`;
  if (last.kind === 'model')
    return last.state === 'failed' ? `${failureCause(last.code)}; trying again` : `${name} is thinking`;
  return last.state === 'running' ? toolLabel(last.tool).word : `${name} is thinking`;
}

/** Steps and cost: `3 steps · 0.02 ai$`; empty if nothing is known. Pass null as the steps of a program, which has none of ours. */
export function usageLabel(steps: number | null, cost: string | null): string {
  const parts = [
    steps === null || steps === 0 ? '' : steps === 1 ? '1 step' : `${steps} steps`,
    cost === null || /^0(\.0+)?$/.test(cost) ? '' : moneyLabel(cost),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** Finished work in one line, also of a message that a person stopped: `Stopped after 12 s: 1 call`. */
export function workLabel(run: Run | null, items: readonly TraceItem[], state: SessionMessage['state']): string {
  // The whole work of a program is a call too, which holds the others.
  const calls = items.filter((item) => item.kind === 'call' && !runtimeFacts(item.tool).isOneCall).length;
  const took =
    run === null || run.started_at === null || run.ended_at === null
      ? null
      : lengthLabel(Date.parse(run.ended_at) - Date.parse(run.started_at));
  if (state === 'cancelled') return `${took === null ? 'Stopped' : `Stopped after ${took}`}${callsAfter(calls)}`;
  const word = took === null ? 'Work' : `Worked ${took}`;
  if (items.length === 0) return `${word}: show it`;
  return calls === 0 ? `${word}, without a call` : `${word}${callsAfter(calls)}`;
}

function callsAfter(calls: number): string {
  if (calls === 0) return '';
  return calls === 1 ? ': 1 call' : `: ${calls} calls`;
}

/** Why a message has no answer, and who can mend it. */
export function failureLabel(run: Run | null, role: Role): string {
  if (run === null || run.error === null) return 'This failed. Write again, or look at the run.';
  const { error, veiled } = run;
  if (veiled !== true) return failureSentence(error, role);
  // The list of runs keeps the message from an admin, who reads the conversation of other people here.
  return failureSentence({ ...error, message: endedAtLimit(error) ? 'It reached a limit' : 'It failed' }, role);
}

/** The newest change for a screen reader: short, and not word by word. */
export function announcement(exchange: Exchange | undefined, name: string, items: readonly TraceItem[]): string {
  if (exchange === undefined) return '';
  if (exchange.permissions.some(({ state }) => state === 'pending')) return `${name} asks for permission`;
  if (exchange.answer !== null) return `${name}: ${exchange.answer.text}`;
  if (exchange.question?.state === 'working') return workingLabel(name, items, exchange.trace.partial !== null);
  return '';
}

/** The word of the button that takes a person out of a conversation; null if the viewer may not, or for the last person. */
export function removalOf(
  { people, created_by: by }: Pick<ChatSession, 'people' | 'created_by'>,
  id: string,
  { viewer, role }: { readonly viewer: ViewerId; readonly role: Role },
): 'Leave' | 'Remove' | null {
  if (people.length < 2) return null;
  if (isOwn(id, viewer)) return 'Leave';
  return role === 'admin' || isOwn(by.id, viewer) ? 'Remove' : null;
}
