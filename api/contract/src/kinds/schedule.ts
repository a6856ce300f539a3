import * as z from 'zod';
import { Conditions } from './conditions.ts';
import { defaultWhenAbsent, guarded } from './guarded.ts';
import { API_VERSION, ObjectMeta } from './object-meta.ts';
import { Duration, MAX_PROSE_CHARS, ObjectName, text, Timestamp, TimeZone, matching, SHORT_CHARS } from './text.ts';

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

/** No seconds, no `TZ=` prefix. */
export const Cron = matching(
  `^${CRON_FIELDS.map(cronList).join(' +')}$`,
  128,
  'write five cron fields (minute, hour, day of month, month, day of week), for example "0 9 * * MON-FRI"',
);

export const DailyAt = matching(
  '^([01][0-9]|2[0-3]):[0-5][0-9]$',
  SHORT_CHARS,
  'write a time of day in quotes, with two digits for the hour, for example "07:30"',
);

const MAX_CATCH_UP = 100;
const MAX_LABELS = 16;
export const NEXT_RUNS = 5;

const MatchLabels = guarded(z.record(z.string(), text(63)), [
  {
    holds: (value) => Object.keys(value).length >= 1 && Object.keys(value).length <= MAX_LABELS,
    rule: `self.size() >= 1 && self.size() <= ${MAX_LABELS}`,
    message: `write 1 to ${MAX_LABELS} labels`,
  },
]);

const Selector = z.strictObject({
  matchLabels: MatchLabels.meta({ ...MatchLabels.meta(), maxProperties: MAX_LABELS }).describe(
    'Labels that the selected Agents carry, all of them.',
  ),
});

const MAX_TAGS = 64;
/** A word of the pipelines of a workflow. It has no control characters, which a run could not store. */
const word = (example: string) =>
  matching(
    '^[^\\x00-\\x1f]+$',
    SHORT_CHARS,
    `write a word of pipelines.yaml without line breaks, for example ${example}`,
  );

export const ScheduleWorkflow = z.strictObject({
  pipeline: matching(
    '^[a-z][a-z0-9_.-]*$',
    SHORT_CHARS,
    'write an id of pipelines.yaml: a letter, then a-z, 0-9, _, . and -, for example nightly',
  )
    .optional()
    .describe('Pipeline by its id; without it, mode, tags and scores choose one.'),
  mode: word('review').optional(),
  tags: z.array(word('code')).max(MAX_TAGS).optional(),
});
export type ScheduleWorkflow = z.infer<typeof ScheduleWorkflow>;

const fields = {
  agentName: ObjectName.optional().describe('Agent that gets the prompt.'),
  selector: Selector.optional().describe('Agents that get the prompt.'),
  prompt: text(MAX_PROSE_CHARS, 1).describe('Prompt for the agent; text only.'),
  workflow: ScheduleWorkflow.optional().describe(
    'If present, even empty, each run carries out the workflow of its agent, whose input is the prompt as a text.',
  ),
  every: Duration.optional().describe('Time between two firings, counted from 1970-01-01T00:00:00Z.'),
  cron: Cron.optional(),
  dailyAt: DailyAt.optional(),
  timeZone: TimeZone.optional().describe('Time zone of cron and dailyAt.'),
  missedRuns: defaultWhenAbsent(z.enum(['Skip', 'RunOnce', 'CatchUp']), 'Skip').describe(
    'Policy for missed firings. Skip (default) drops them, RunOnce replaces all by one firing, CatchUp fires each of the newest.',
  ),
  catchUpLimit: defaultWhenAbsent(z.int().min(1).max(MAX_CATCH_UP), 10).describe(
    'Maximum number of missed firings that CatchUp fires; 10 by default.',
  ),
  overlap: defaultWhenAbsent(z.enum(['Forbid', 'Queue', 'Replace']), 'Forbid').describe(
    'Policy while an earlier run is unfinished. Forbid (default) skips the new run, Queue lets it wait, Replace cancels the earlier one.',
  ),
  startingDeadlineSeconds: defaultWhenAbsent(z.int().min(1).max(604_800), 300).describe(
    'Deadline in seconds (300 by default) after which a firing is missed. A firing over 30 seconds late is also missed if a newer one is due.',
  ),
  suspend: defaultWhenAbsent(z.boolean(), false).describe(
    'True pauses the Schedule: nothing fires, and slots that pass do not count as missed. False by default.',
  ),
  historyLimit: defaultWhenAbsent(z.int().min(0).max(1_000), 10).describe(
    'Number of ended runs to keep; 10 by default.',
  ),
};

const oneOf = (...values: readonly unknown[]): boolean => values.filter((value) => value !== undefined).length === 1;

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

/** Every Schedule has all three conditions. */
export const SCHEDULE_CONDITIONS = ['Accepted', 'Active', 'Suspended'] as const;
export type ScheduleConditionType = (typeof SCHEDULE_CONDITIONS)[number];

export const SCHEDULE_REASONS = {
  Accepted: 'the spec can be read and has a next firing',
  InvalidSpec: 'the spec cannot be read: correct it as the message says',
  NeverFires: 'the cron fields match no date in the next fifty years: correct them',
  Scheduled: 'it fires at its next time',
  Suspended: 'spec.suspend is true: write false to let it fire',
  NotSuspended: 'spec.suspend is false, or left out',
  AgentNotFound: 'the named Agent does not exist: create it, or name another; firings are skipped meanwhile',
  NoAgentMatches:
    "no Agent matches: add the selector's labels to one, or change the selector; firings are skipped meanwhile",
  ApiUnreachable: 'the API is unreachable: due firings wait, and are missed after their deadline',
} as const satisfies Readonly<Record<string, string>>;
export type ScheduleReason = keyof typeof SCHEDULE_REASONS;

export const SCHEDULE_EVENT_REASONS = {
  FiringsMissed: 'the operator or the API was down when firings were due; missedRuns decides whether they fire later',
  FiringMadeUp: 'a missed firing was fired later, as missedRuns demands',
  NoAgent: 'no Agent was there to get the prompt',
  TooManyAgents: 'the selector matches more Agents than one firing reaches',
  OverlapSkipped: 'an agent still works on an earlier run and overlap is Forbid, or too many of its runs wait',
  OverlapReplaced: 'an earlier run was cancelled in favour of this one, as overlap is Replace',
  Drift:
    "the database, the status and the operator's cache disagreed about its runs for at least a minute: the Schedule was reconciled again",
  AgentUnavailable: 'the API does not know the agent, or an admin has taken a measure against it',
  ManifestsUnusable:
    'the Schedule starts workflows, but the agent has no manifests or they cannot be used: its page says what to correct',
} as const satisfies Readonly<Record<string, string>>;
export type ScheduleEventReason = keyof typeof SCHEDULE_EVENT_REASONS;

const Count = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

export const ScheduleStatus = z.strictObject({
  conditions: Conditions.optional(),
  observedGeneration: Count.optional(),
  timing: text(256).optional().describe('Timing in one line.'),
  lastSlot: Timestamp.optional().describe(
    'Newest decided slot: all slots up to it have fired, were missed, or precede this timing.',
  ),
  lastRunID: text(64).optional().describe('Newest run of the Schedule.'),
  lastRunAt: Timestamp.optional().describe('Time at which the newest run was created.'),
  nextRunAt: Timestamp.optional().describe('Next firing; absent if there is none.'),
  nextRuns: z.array(Timestamp).max(NEXT_RUNS).optional().describe('Next firings.'),
  activeRuns: Count.optional().describe('Number of runs that wait or are under way.'),
  missed: Count.optional().describe('Number of missed firings that never fired, since the Schedule was created.'),
});
export type ScheduleStatus = z.infer<typeof ScheduleStatus>;

export const Schedule = z.strictObject({
  apiVersion: z.literal(API_VERSION),
  kind: z.literal('Schedule'),
  metadata: ObjectMeta,
  spec: ScheduleSpec,
  status: ScheduleStatus.optional(),
});
export type Schedule = z.infer<typeof Schedule>;
