import type { Condition, ScheduleConditionType, ScheduleReason, ScheduleStatus } from '@hamlet/contract/kinds';
import { NEXT_RUNS } from '@hamlet/contract/kinds';
import { describeTiming, nextSlots, readTiming, utcText } from '@hamlet/core/schedule';
import type { ConditionResult } from '../../status/condition.ts';
import { conditionsOf as withTimes, no, present, wholeSeconds, yes } from '../../status/condition.ts';
import type { Observed } from './cached-schedule.ts';

type Result = ConditionResult<ScheduleReason>;

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
    : { reason: 'NeverFires', message: `no date within fifty years matches "${describeTiming(spec)}"` };
}

function acceptedResult(outlook: Outlook): Result {
  if ('reason' in outlook) return { status: 'False', ...outlook };
  return yes('Accepted', 'the spec can be read');
}

function suspendedResult({ schedule: { spec } }: Observed): Result {
  if (spec?.suspend === true) return yes('Suspended', 'spec.suspend is true');
  return no('NotSuspended', 'spec.suspend is false, or left out');
}

function absenceOf({ schedule: { spec } }: Observed): Result {
  if (spec?.selector === undefined) {
    const message = `spec.agentName is "${spec?.agentName ?? ''}", and there is no such Agent: the Schedule does not fire`;
    return no('AgentNotFound', message);
  }
  const labels = Object.entries(spec.selector.matchLabels).map(([label, value]) => `${label}=${value}`);
  return no('NoAgentMatches', `no Agent has the labels ${labels.join(', ')}: the Schedule does not fire`);
}

function activeResult(observed: Observed, outlook: Outlook): Result {
  if ('reason' in outlook) return { status: 'False', ...outlook };
  if (observed.schedule.spec?.suspend === true)
    return no('Suspended', 'spec.suspend is true: write false to let it fire');
  if (observed.agents.length === 0) return absenceOf(observed);
  if (!observed.apiReachable)
    return { status: 'Unknown', reason: 'ApiUnreachable', message: 'the api does not answer: due firings wait' };
  return yes('Scheduled', 'it fires at its next time');
}

function conditionsOf(observed: Observed, outlook: Outlook, now: string): Condition[] {
  const { status, metadata } = observed.schedule;
  const results: readonly (readonly [ScheduleConditionType, Result])[] = [
    ['Accepted', acceptedResult(outlook)],
    ['Active', activeResult(observed, outlook)],
    ['Suspended', suspendedResult(observed)],
  ];
  const observedGeneration = metadata.generation === undefined ? {} : { observedGeneration: metadata.generation };
  return withTimes(results, status.conditions, now).map((condition) => ({ ...condition, ...observedGeneration }));
}

function nextOf({ schedule: { spec } }: Observed, outlook: Outlook): Pick<ScheduleStatus, 'nextRuns' | 'nextRunAt'> {
  if ('reason' in outlook || spec?.suspend === true) return {};
  const nextRuns = outlook.nextMs.map(utcText);
  return nextRuns[0] === undefined ? {} : { nextRuns, nextRunAt: nextRuns[0] };
}

/** The runs as the api reports them. Before its first report, the runs of the written status. */
function runsOf({ schedule: { status }, activity }: Observed): ScheduleStatus {
  const { lastRunID, lastRunAt, activeRuns = 0 } = status;
  if (activity === undefined) return present<ScheduleStatus>({ lastRunID, lastRunAt, activeRuns });
  return present<ScheduleStatus>({
    lastRunID: activity.last_run_id ?? lastRunID,
    lastRunAt: activity.last_run_at === null ? lastRunAt : wholeSeconds(activity.last_run_at),
    activeRuns: activity.active_runs,
  });
}

function decisionsOf({ schedule: { status, createdMs }, decided }: Observed): ScheduleStatus {
  if (decided === undefined) return present<ScheduleStatus>({ lastSlot: status.lastSlot, missed: status.missed ?? 0 });
  return present<ScheduleStatus>({
    lastSlot: decided.untilMs === createdMs ? undefined : utcText(decided.untilMs),
    missed: decided.missed,
  });
}

export function statusOf(observed: Observed, nowMs: number): ScheduleStatus {
  const { metadata, spec } = observed.schedule;
  const outlook = outlookOf(observed, nowMs);
  return present<ScheduleStatus>({
    conditions: conditionsOf(observed, outlook, utcText(nowMs)),
    observedGeneration: metadata.generation,
    timing: spec === undefined ? undefined : describeTiming(spec),
    ...decisionsOf(observed),
    ...runsOf(observed),
    ...nextOf(observed, outlook),
  });
}
