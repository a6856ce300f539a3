import {
  MAX_MESSAGE_CHARS,
  NEXT_RUNS,
  type Condition,
  type ScheduleConditionType,
  type ScheduleReason,
  type ScheduleStatus,
} from '@hamlet/contract/kinds';
import { describeTiming, nextSlots, readTiming, utcText } from '@hamlet/core/schedule';
import type { Observed } from './views.ts';

interface Verdict {
  readonly status: Condition['status'];
  readonly reason: ScheduleReason;
  readonly message: string;
}

/** When a Schedule fires next, or why it never does. */
type Outlook =
  | { readonly nextMs: readonly number[] }
  | { readonly reason: 'InvalidSpec' | 'NeverFires'; readonly message: string };

function outlookOf({ schedule: { spec, problem }, decided }: Observed, nowMs: number): Outlook {
  if (spec === undefined) return { reason: 'InvalidSpec', message: problem ?? 'the spec cannot be read' };
  const reading = readTiming(spec);
  if (!reading.ok) return { reason: 'InvalidSpec', message: reading.problem };
  const nextMs = nextSlots(reading.timetable, Math.max(nowMs, decided?.untilMs ?? nowMs), NEXT_RUNS);
  return nextMs.length > 0
    ? { nextMs }
    : { reason: 'NeverFires', message: `no date of the next fifty years fits "${describeTiming(spec)}"` };
}

function acceptedVerdict(outlook: Outlook): Verdict {
  if ('reason' in outlook) return { status: 'False', ...outlook };
  return { status: 'True', reason: 'Accepted', message: 'the spec can be read' };
}

function suspendedVerdict({ schedule: { spec } }: Observed): Verdict {
  if (spec?.suspend === true) return { status: 'True', reason: 'Suspended', message: 'spec.suspend is true' };
  return { status: 'False', reason: 'NotSuspended', message: 'spec.suspend is false, or left out' };
}

function absenceOf({ schedule: { spec } }: Observed): Verdict {
  if (spec?.selector === undefined)
    return {
      status: 'False',
      reason: 'AgentNotFound',
      message: `spec.agentName is "${spec?.agentName ?? ''}", and there is no such Agent: nothing fires`,
    };
  const labels = Object.entries(spec.selector.matchLabels).map(([label, value]) => `${label}=${value}`);
  return { status: 'False', reason: 'NoAgentMatches', message: `no Agent carries ${labels.join(', ')}: nothing fires` };
}

function activeVerdict(observed: Observed, outlook: Outlook): Verdict {
  if ('reason' in outlook) return { status: 'False', ...outlook };
  if (observed.schedule.spec?.suspend === true)
    return { status: 'False', reason: 'Suspended', message: 'spec.suspend is true: write false to let it fire' };
  if (observed.agents.length === 0) return absenceOf(observed);
  if (!observed.apiReachable)
    return {
      status: 'Unknown',
      reason: 'ApiUnreachable',
      message: 'the operator does not hear from the api: what is due waits',
    };
  return { status: 'True', reason: 'Scheduled', message: 'it fires at its next time' };
}

const cut = (message: string): string =>
  message.length <= MAX_MESSAGE_CHARS ? message : `${message.slice(0, MAX_MESSAGE_CHARS - 1)}…`;

/** The time of a condition is that of its last change of status. */
function conditionOf(
  { schedule: { status, metadata } }: Observed,
  [type, verdict]: readonly [ScheduleConditionType, Verdict],
  now: string,
): Condition {
  const before = status.conditions?.find((condition) => condition.type === type);
  const lastTransitionTime = before?.status === verdict.status ? before.lastTransitionTime : now;
  const { generation } = metadata;
  return {
    type,
    ...verdict,
    message: cut(verdict.message),
    lastTransitionTime,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}

function conditionsOf(observed: Observed, outlook: Outlook, now: string): Condition[] {
  const all: readonly (readonly [ScheduleConditionType, Verdict])[] = [
    ['Accepted', acceptedVerdict(outlook)],
    ['Active', activeVerdict(observed, outlook)],
    ['Suspended', suspendedVerdict(observed)],
  ];
  return all.map((entry) => conditionOf(observed, entry, now));
}

const present = (fields: { readonly [K in keyof ScheduleStatus]?: ScheduleStatus[K] | undefined }): ScheduleStatus =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as ScheduleStatus;

const wholeSeconds = (time: string | undefined): string | undefined => time?.replace(/\.\d+(?=Z|[+-])/, '');

/** What comes next, where anything does. */
function nextOf({ schedule: { spec } }: Observed, outlook: Outlook): Pick<ScheduleStatus, 'nextRuns' | 'nextRunAt'> {
  if ('reason' in outlook || spec?.suspend === true) return {};
  const nextRuns = outlook.nextMs.map(utcText);
  return nextRuns[0] === undefined ? {} : { nextRuns, nextRunAt: nextRuns[0] };
}

/** What the api says of the runs, or what it said when it was last heard. */
function runsOf({ schedule: { status }, activity }: Observed): ScheduleStatus {
  if (activity === undefined)
    return present({ lastRunID: status.lastRunID, lastRunAt: status.lastRunAt, activeRuns: status.activeRuns ?? 0 });
  return present({
    lastRunID: activity.lastRunId ?? status.lastRunID,
    lastRunAt: wholeSeconds(activity.lastRunAt) ?? status.lastRunAt,
    activeRuns: activity.activeRuns,
  });
}

function decisionsOf({ schedule: { status, createdMs }, decided }: Observed): ScheduleStatus {
  if (decided === undefined) return present({ lastSlot: status.lastSlot, missed: status.missed ?? 0 });
  return present({
    lastSlot: decided.untilMs === createdMs ? undefined : utcText(decided.untilMs),
    missed: decided.missed,
  });
}

/** The whole status, from what was observed after the plan was carried out. */
export function statusOf(observed: Observed, nowMs: number): ScheduleStatus {
  const { metadata, spec } = observed.schedule;
  const outlook = outlookOf(observed, nowMs);
  return present({
    conditions: conditionsOf(observed, outlook, utcText(nowMs)),
    observedGeneration: metadata.generation,
    timing: spec === undefined ? undefined : describeTiming(spec),
    ...decisionsOf(observed),
    ...runsOf(observed),
    ...nextOf(observed, outlook),
  });
}
