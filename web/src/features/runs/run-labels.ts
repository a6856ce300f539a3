import type { Run, RunEvent, RunState } from '@hamlet/contract';
import { isSettled } from '@hamlet/core';
import { actorLabel, isOwn, type ViewerId } from '../../client/actor-labels.ts';
import { lengthLabel } from '../../ui/time-labels.ts';

/** A state of a run in a word, with the tone of its mark. */
export type StateLabel = Readonly<{ word: string; tone: 'good' | 'waiting' | 'bad' | 'sleep' }>;

export const STATE_LABELS: Readonly<Record<RunState, StateLabel>> = {
  queued: { word: 'Queued', tone: 'sleep' },
  running: { word: 'Running', tone: 'waiting' },
  waiting_permission: { word: 'Needs permission', tone: 'waiting' },
  done: { word: 'Done', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
  cancelled: { word: 'Cancelled', tone: 'sleep' },
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

/** The origin of a run: `schedule morning` or its sender. */
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

const EVENT_LABELS: Readonly<Record<RunEvent['event'], (text: Read) => string>> = {
  queued: () => 'Queued',
  started: (text) => inCycle('Started', text),
  redelivered: (text) => inCycle('Delivered again', text),
  step: (text) => after(text('outcome') === 'failed' ? 'Failed step' : 'Step', text('text')),
  cancel_requested: (text) => after('Asked to end', text('reason')),
  lapsed: () => 'Queued again: the agent stopped responding',
  settled: (text) => after('Ended', text('state')),
  permission_asked: () => 'Asked for permission',
  permission_answered: (text) => after('Permission answered', text('answer')),
  permission_expired: () => 'Permission expired',
  waiting: () => 'Waits for permission',
  budget_warned: (text) => after('Asked to finish: near its budget', text('code')),
  interrupted: () => 'Interrupted',
  model_asked: (text) => after('Asked the model', text('model')),
  model_answered: () => 'The model answered',
  model_failed: (text) => after('The model failed', text('code')),
  call_begun: (text) => after('Began', text('tool')),
  call_settled: (text) => after(`Ended ${text('tool')}`.trim(), text('outcome')),
  call_unknown: (text) => after('Unknown end', text('tool')),
};

/** The text of an event. The detail may come from a newer village, so this code assumes no structure. */
export function eventLabel({
  event,
  detail,
}: Readonly<{ event: RunEvent['event']; detail: Readonly<Record<string, unknown>> }>): string {
  return EVENT_LABELS[event]((key) => {
    const value = detail[key];
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
