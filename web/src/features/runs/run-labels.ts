import type { CALL_EVENT_KINDS, MODEL_EVENT_KINDS, Run, RunEvent, RunState, SafeMode } from '@hamlet/contract';
import { isSettled } from '@hamlet/core';
import type { ModelItem } from '../../client/minds/trace-items.ts';
import { actorLabel, isOwn, moneyLabel, type ViewerId } from '../../client/labels.ts';
import type { StreamState } from '../../client/stream/follow-stream.ts';
import { lengthLabel } from '../../ui/time-labels.ts';

type StateLabel = Readonly<{ word: string; tone: 'good' | 'waiting' | 'bad' | 'sleep' }>;

export const STATE_LABELS: Readonly<Record<RunState, StateLabel>> = {
  queued: { word: 'Queued', tone: 'sleep' },
  running: { word: 'Running', tone: 'waiting' },
  waiting_permission: { word: 'Needs permission', tone: 'waiting' },
  done: { word: 'Done', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
  cancelled: { word: 'Cancelled', tone: 'sleep' },
};

export const SAFE_MODE_LABELS: Readonly<Record<SafeMode, { readonly choice: string; readonly fact: string }>> = {
  analysis_only: {
    choice: 'None: it only analyses',
    fact: 'Analysis only: the API denies every call that changes something',
  },
  dry_run: {
    choice: 'None: it says what it would do',
    fact: 'Dry run: the API denies every call that changes something, and the agent says what it would have done',
  },
};

/** The state of a run as people see it: after a request to end the run, it is `Ending` until it ends. */
export function stateLabel(run: Pick<Run, 'state' | 'cancel_requested_at'>): StateLabel {
  if (!isSettled(run.state) && run.cancel_requested_at !== null) return { word: 'Ending', tone: 'waiting' };
  return STATE_LABELS[run.state];
}

/** The duration of a run; for a run that has not started, the time that it has waited. */
export function runLength(
  { created_at: created, started_at: started, ended_at: ended }: Pick<Run, 'created_at' | 'started_at' | 'ended_at'>,
  nowMs: number,
): string {
  const endMs = ended === null ? nowMs : Date.parse(ended);
  if (started === null) return ended === null ? `waits ${lengthLabel(endMs - Date.parse(created))}` : 'never started';
  return lengthLabel(endMs - Date.parse(started));
}

export function originLabel(
  { schedule, created_by: by }: Pick<Run, 'schedule' | 'created_by'>,
  viewer: ViewerId,
): string {
  return schedule === null ? `from ${actorLabel(by.id, by.role, viewer)}` : `schedule ${schedule.name}`;
}

type Read = (key: string) => string;

function after(word: string, value: string): string {
  return value === '' ? word : `${word}: ${value}`;
}

function inCycle(word: string, text: Read): string {
  return text('cycle') === '' ? word : `${word} in cycle ${text('cycle')}`;
}

/** The events outside of calls and answers, which have their own lines. */
export type NoteEvent = Exclude<
  RunEvent['event'],
  (typeof CALL_EVENT_KINDS)[number] | (typeof MODEL_EVENT_KINDS)[number]
>;

const EVENT_LABELS: Readonly<Record<NoteEvent, (text: Read) => string>> = {
  queued: () => 'Queued',
  started: (text) => inCycle('Started', text),
  redelivered: (text) => inCycle('Delivered again', text),
  step: (text) => after(text('outcome') === 'failed' ? 'Failed step' : 'Step', text('text')),
  cancel_requested: (text) => after('Asked to end', text('reason')),
  lapsed: () => 'Queued again: the agent stopped responding',
  settled: (text) => after('Ended', text('state')),
  permission_asked: (text) => after('Asked a person', text('tool')),
  permission_answered: (text) => after('A person answered', text('answer')),
  permission_expired: (text) => after('No person answered in time', text('tool')),
  waiting: () => 'Waits for a person; the agent is free for other work meanwhile',
  budget_warned: (text) => after('Most of the budget is used', text('code')),
  interrupted: () => 'Interrupted: the pod ended; the run continues later',
};

/** The text of an event. Assumes nothing about the detail, because a newer village may have sent it. */
export function eventLabel({ event, detail }: { readonly event: NoteEvent; readonly detail: object }): string {
  const values = new Map<string, unknown>(Object.entries(detail));
  return EVENT_LABELS[event]((key) => {
    const value = values.get(key);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  });
}

/** True if the viewer may end a run: an admin may end any run, a member only their own. */
export function mayCancel(
  run: Pick<Run, 'state' | 'created_by' | 'cancel_requested_at'>,
  viewer: { readonly role: string; readonly id: ViewerId },
): boolean {
  if (isSettled(run.state) || run.cancel_requested_at !== null) return false;
  return viewer.role === 'admin' || (viewer.role === 'member' && isOwn(run.created_by.id, viewer.id));
}

/** An answer of the model: `Answer of small-model · 1,204 tokens · 0.02 ai$`. */
export function modelLabel({ state, model, attempt, tokens, cost, code }: ModelItem): string {
  const of = model === null ? '' : ` of ${model}`;
  const words: Readonly<Record<ModelItem['state'], string>> = {
    asked: model === null ? 'The model answers…' : `${model} answers…`,
    answered: `Answer${of}`,
    failed: `The answer${of} failed`,
    left: `The answer${of} was not finished`,
  };
  const parts = [
    words[state],
    code ?? '',
    attempt > 1 ? `attempt ${attempt}` : '',
    tokens === null ? '' : tokensLabel(tokens),
    cost === null ? '' : moneyLabel(cost),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

function tokensLabel(tokens: number): string {
  return tokens === 1 ? '1 token' : `${tokens.toLocaleString('en')} tokens`;
}

/** The budget of a run whose tier charges nothing: one millionth, because a budget is above zero. */
const FREE = '0.000001';

/** The usage of a run with its budget: `3 of 64 steps · 1,204 of 200,000 tokens · 0.02 of 1.00 ai$`. */
export function usageOfRun({ usage, budgets }: Pick<Run, 'usage' | 'budgets'>): string {
  const of = (used: string, limit: string | undefined): string => (limit === undefined ? used : `${used} of ${limit}`);
  const number = (value: number): string => value.toLocaleString('en');
  return [
    `${of(number(usage.steps), budgets === null ? undefined : number(budgets.steps))} steps`,
    `${of(number(usage.tokens), budgets === null ? undefined : number(budgets.tokens))} tokens`,
    of(moneyLabel(usage.cost), budgets === null || budgets.money === FREE ? undefined : moneyLabel(budgets.money)),
  ].join(' · ');
}

/** The label for text of runtimes without a language model. */
export function scriptedLabel(runtime: string | null): Readonly<{ word: string; hint: string }> | null {
  return runtime === 'scripted' || runtime === 'stub'
    ? { word: 'scripted', hint: 'Rules of the village chose these words: this agent has no language model' }
    : null;
}

/** A notice about the stream; null while it is live. */
export function streamLabel(stream: StreamState): string | null {
  if (stream.kind === 'reconnecting') return 'The connection was lost. Trying again; nothing is lost.';
  return stream.kind === 'refused' ? `${stream.refused.title}. ${stream.refused.detail}` : null;
}
