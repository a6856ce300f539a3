import * as z from 'zod';
import { Conditions } from '../conditions.ts';
import { guarded } from './guarded.ts';
import { leftOutMeans } from './left-out.ts';
import { API_VERSION, ObjectMeta } from './object-meta.ts';
import { Duration, matching, MAX_PROSE_CHARS, ObjectName, SHORT_CHARS, text, TimeZone, Timestamp } from './text.ts';

const MAX_CATCH_UP = 100;
const MAX_LABELS = 16;
/** Firings to come that a status lists. */
export const NEXT_RUNS = 5;

const cronList = (value: string): string => {
  const range = `([*]|${value}(-${value})?)(/[1-9][0-9]?)?`;
  return `${range}(,${range})*`;
};
const MONTHS = 'JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC';
const DAYS = 'SUN|MON|TUE|WED|THU|FRI|SAT';
const CRON_FIELDS = [
  '([0-5]?[0-9])',
  '([01]?[0-9]|2[0-3])',
  '(0?[1-9]|[12][0-9]|3[01])',
  `(0?[1-9]|1[0-2]|${MONTHS})`,
  `([0-7]|${DAYS})`,
];

/** Five fields: minute, hour, day of month, month, day of week; no seconds, no `TZ=` prefix. */
const Cron = matching(
  `^${CRON_FIELDS.map(cronList).join(' +')}$`,
  128,
  'write five cron fields (minute, hour, day of month, month, day of week), for example "0 9 * * MON-FRI"',
);

const DailyAt = matching(
  '^([01][0-9]|2[0-3]):[0-5][0-9]$',
  SHORT_CHARS,
  'write a time of day in quotes, for example "09:30"',
);

const MatchLabels = guarded(z.record(z.string(), text(63)), [
  {
    holds: (value) => Object.keys(value).length >= 1 && Object.keys(value).length <= MAX_LABELS,
    rule: `self.size() >= 1 && self.size() <= ${MAX_LABELS}`,
    message: `write 1 to ${MAX_LABELS} labels`,
  },
]);

const Selector = z.strictObject({
  matchLabels: MatchLabels.meta({ ...MatchLabels.meta(), maxProperties: MAX_LABELS }).describe(
    'Every Agent that carries all of these labels.',
  ),
});

const fields = {
  agentName: ObjectName.optional().describe('The Agent that gets the prompt.'),
  selector: Selector.optional().describe('The Agents that get the prompt.'),
  prompt: text(MAX_PROSE_CHARS, 1).describe('What the agent is told; text only.'),
  every: Duration.optional().describe('Time between two firings, counted from 1970-01-01T00:00:00Z.'),
  cron: Cron.optional(),
  dailyAt: DailyAt.optional(),
  timeZone: TimeZone.optional().describe('Time zone of cron and dailyAt.'),
  missedRuns: leftOutMeans(z.enum(['Skip', 'RunOnce', 'CatchUp']), 'Skip').describe(
    'Missed firings: Skip, also if left out, makes up for none, RunOnce for all of them with one, CatchUp for each of the newest.',
  ),
  catchUpLimit: leftOutMeans(z.int().min(1).max(MAX_CATCH_UP), 10).describe(
    'The most firings made up for under CatchUp; 10 if left out.',
  ),
  overlap: leftOutMeans(z.enum(['Forbid', 'Queue', 'Replace']), 'Forbid').describe(
    'While an earlier run still goes: Forbid, also if left out, leaves the new one out, Queue lets it wait, Replace cancels the earlier.',
  ),
  startingDeadlineSeconds: leftOutMeans(z.int().min(1).max(604_800), 300).describe(
    'A firing that is later than this (300 if left out) is missed; so is one that is over 30 seconds late when a newer one is due.',
  ),
  suspend: leftOutMeans(z.boolean(), false).describe(
    'True fires nothing; what passes meanwhile is not missed. False if left out.',
  ),
  historyLimit: leftOutMeans(z.int().min(0).max(1_000), 10).describe('Runs that are kept; 10 if left out.'),
};

const oneOf = (...values: readonly unknown[]): boolean => values.filter((value) => value !== undefined).length === 1;

/** When an agent is told what. */
export const ScheduleSpec = guarded(z.strictObject(fields), [
  {
    holds: (value) => oneOf(value.every, value.cron, value.dailyAt),
    rule: '[has(self.every), has(self.cron), has(self.dailyAt)].filter(set, set).size() == 1',
    message: 'write exactly one of every, cron and dailyAt',
  },
  {
    holds: (value) => oneOf(value.agentName, value.selector),
    rule: 'has(self.agentName) != has(self.selector)',
    message: 'write exactly one of agentName and selector',
  },
  {
    holds: (value) => (value.timeZone !== undefined) === (value.cron !== undefined || value.dailyAt !== undefined),
    rule: 'has(self.timeZone) == (has(self.cron) || has(self.dailyAt))',
    message: 'cron and dailyAt need a timeZone, for example Europe/Zurich, and every takes none',
  },
]);
export type ScheduleSpec = z.infer<typeof ScheduleSpec>;

/** Conditions of a Schedule, all always present. */
export const SCHEDULE_CONDITIONS = ['Accepted', 'Active', 'Suspended'] as const;
export type ScheduleConditionType = (typeof SCHEDULE_CONDITIONS)[number];

/** Every reason in a Schedule's conditions, with the advice that belongs to it. */
export const SCHEDULE_REASONS = {
  Accepted: 'the spec can be read and has a next firing',
  InvalidSpec: 'the spec cannot be read: correct it as the message says',
  NeverFires: 'no date of the next fifty years fits the cron fields: correct them',
  Scheduled: 'it fires at its next time',
  Suspended: 'spec.suspend is true: write false to let it fire',
  NotSuspended: 'spec.suspend is false, or left out',
  AgentNotFound: 'create the Agent that is named, or name another: meanwhile nothing fires and nothing is made up for',
  NoAgentMatches:
    'label an Agent as the selector says, or change the selector: meanwhile nothing fires and nothing is made up for',
  ApiUnreachable: 'the operator does not hear from the api: what is due waits, and is missed after its deadline',
} as const satisfies Readonly<Record<string, string>>;
export type ScheduleReason = keyof typeof SCHEDULE_REASONS;

/** Reasons of the Events that the operator writes about a Schedule. */
export const SCHEDULE_EVENT_REASONS = {
  FiringsMissed: 'the operator or the api was away when they were due; missedRuns says what becomes of them',
  FiringMadeUp: 'a missed firing was made up for, as missedRuns asks',
  NoAgent: 'no Agent was there to be told',
  TooManyAgents: 'the selector matches more Agents than one firing reaches',
  OverlapSkipped:
    'an agent still works on an earlier run of the Schedule and overlap is Forbid, or too much waits for it',
  OverlapReplaced: 'an earlier run was cancelled for this one, as overlap Replace asks',
  Drift:
    'the database and the status, or what the operator heard, have said different things of its runs for a minute or longer: it was looked at again',
  AgentUnavailable: 'the api does not know the agent, or an admin has barred it',
} as const satisfies Readonly<Record<string, string>>;
export type ScheduleEventReason = keyof typeof SCHEDULE_EVENT_REASONS;

const Count = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

export const ScheduleStatus = z.strictObject({
  conditions: Conditions.optional(),
  observedGeneration: Count.optional(),
  timing: text(256).optional().describe('When it fires, in one line.'),
  lastSlot: Timestamp.optional().describe(
    'Every time up to this one is decided: it has fired, was missed, or was before this timing began.',
  ),
  lastRunID: text(64).optional().describe('The newest run that came of it.'),
  lastRunAt: Timestamp.optional().describe('When the newest run was made.'),
  nextRunAt: Timestamp.optional().describe('The next firing; not there while none is to come.'),
  nextRuns: z.array(Timestamp).max(NEXT_RUNS).optional().describe('The next firings.'),
  activeRuns: Count.optional().describe('Runs that wait or go.'),
  missed: Count.optional().describe('Firings that were missed and not made up for, since the Schedule was made.'),
});
export type ScheduleStatus = z.infer<typeof ScheduleStatus>;

/** A prompt that comes by the clock. */
export const Schedule = z.strictObject({
  apiVersion: z.literal(API_VERSION),
  kind: z.literal('Schedule'),
  metadata: ObjectMeta,
  spec: ScheduleSpec,
  status: ScheduleStatus.optional(),
});
export type Schedule = z.infer<typeof Schedule>;
