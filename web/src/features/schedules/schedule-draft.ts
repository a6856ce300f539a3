import { ScheduleSpec, type ScheduleChange, type ScheduleView } from '@hamlet/contract';
import { capital } from '../../client/labels.ts';
import type { Reading } from '../../client/drafts.ts';
import { nextTimes } from './timetable.ts';
import { type Day, weeklyCron, weeklyIn, WORKDAYS } from './weekly.ts';

type TimingKind = 'every' | 'daily' | 'weekly' | 'cron';

/** The fields of a schedule while a person writes it. Texts stay as typed and may be invalid. */
export interface Draft {
  readonly name: string;
  readonly target: 'agent' | 'labels';
  readonly agent: string;
  readonly labels: string;
  readonly prompt: string;
  /** Null if the prompt is answered, and no workflow carried out. */
  readonly workflow: ScheduleView['workflow'];
  readonly kind: TimingKind;
  readonly every: string;
  /** The time of a daily schedule, and of one with days of the week. */
  readonly dailyAt: string;
  readonly days: readonly Day[];
  readonly cron: string;
  readonly timeZone: string;
  readonly missedRuns: 'Skip' | 'RunOnce' | 'CatchUp';
  readonly catchUpLimit: string;
  readonly overlap: 'Forbid' | 'Queue' | 'Replace';
  readonly deadline: string;
  readonly historyLimit: string;
  readonly suspend: boolean;
}
export type Problems = Readonly<Partial<Record<keyof Draft, string>>>;
type ScheduleBody = Required<ScheduleChange>;
type DraftReading = Reading<{ name: string; body: ScheduleBody }, Problems>;

const NAME_PROBLEM = "Use letters without accents, digits, spaces, '-' and '.', for example Morning round";
const NO_DAY = 'Choose at least one day';
const NAME = /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/;

/** The name of the object: people write `Morning round` for `morning-round`. */
const nameOf = ({ name }: Pick<Draft, 'name'>): string => name.trim().toLowerCase().replaceAll(/\s+/g, '-');

export function emptyDraft(agent: string, timeZone: string): Draft {
  return {
    name: '',
    target: 'agent',
    agent,
    labels: '',
    prompt: '',
    workflow: null,
    kind: 'daily',
    every: '1h',
    dailyAt: '09:00',
    days: WORKDAYS,
    cron: '*/30 9-17 * * MON-FRI',
    timeZone,
    missedRuns: 'Skip',
    catchUpLimit: '10',
    overlap: 'Forbid',
    deadline: '300',
    historyLimit: '10',
    suspend: false,
  };
}

export function draftOf(view: ScheduleView, timeZone: string): Draft {
  const blank = emptyDraft(view.agent_name ?? '', view.time_zone ?? timeZone);
  return {
    ...blank,
    name: view.name,
    prompt: view.prompt,
    workflow: view.workflow,
    target: view.selector === null ? 'agent' : 'labels',
    labels: labelText(view.selector?.match_labels ?? {}),
    ...timingTexts(view, blank),
    missedRuns: view.missed_runs,
    catchUpLimit: String(view.catch_up_limit),
    overlap: view.overlap,
    deadline: String(view.starting_deadline_seconds),
    historyLimit: String(view.history_limit),
    suspend: view.suspend,
  };
}

/** A workflow with another pipeline; an empty text leaves the choice to mode, tags and scores. */
export function withPipeline(
  workflow: NonNullable<Draft['workflow']>,
  pipeline: string,
): NonNullable<Draft['workflow']> {
  const { pipeline: _before, ...rest } = workflow;
  return pipeline.trim() === '' ? rest : { pipeline: pipeline.trim(), ...rest };
}

function timingTexts(view: ScheduleView, blank: Draft): Pick<Draft, 'kind' | 'every' | 'cron' | 'dailyAt' | 'days'> {
  const weekly = view.cron === null ? null : weeklyIn(view.cron);
  const { every, cron, days } = blank;
  if (weekly !== null) return { every, cron, ...weekly, kind: 'weekly' };
  const kind = view.every !== null ? 'every' : view.cron === null ? 'daily' : 'cron';
  return {
    days,
    kind,
    every: view.every ?? every,
    cron: view.cron ?? cron,
    dailyAt: view.daily_at ?? blank.dailyAt,
  };
}

function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
}

function labelsOf(text: string): Record<string, string> | null {
  const pairs = text
    .split(',')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
    .map((pair) => pair.split('=').map((part) => part.trim()));
  return pairs.every((pair) => pair.length === 2 && pair[0] !== '') ? Object.fromEntries(pairs) : null;
}

/** The timing in the form of the spec. Reads only the fields of the chosen kind. */
export function timingOf({
  kind,
  every,
  dailyAt,
  days,
  cron,
  timeZone,
}: Draft): Pick<ScheduleSpec, 'every' | 'cron' | 'dailyAt' | 'timeZone'> {
  if (kind === 'every') return { every: every.trim() };
  const weekly = kind === 'weekly' ? weeklyCron(days, dailyAt) : null;
  if (weekly !== null) return { cron: weekly, timeZone: timeZone.trim() };
  // A weekly schedule without a day or a valid time: the schema checks its time as that of a daily one.
  return kind !== 'cron'
    ? { dailyAt: dailyAt.trim().replace(/^\d(?=:)/, '0$&'), timeZone: timeZone.trim() }
    : { cron: cron.trim(), timeZone: timeZone.trim() };
}

/** The next times of a draft, or the problem with its timing. */
export function nextOf(draft: Draft, nowMs: number): ReturnType<typeof nextTimes> {
  return isDayless(draft) ? { ok: false, problem: `${NO_DAY}.` } : nextTimes(timingOf(draft), nowMs);
}

const isDayless = ({ kind, days }: Draft): boolean => kind === 'weekly' && days.length === 0;

const FIELDS: Readonly<Record<string, keyof Draft>> = {
  agentName: 'agent',
  selector: 'labels',
  startingDeadlineSeconds: 'deadline',
};
const isField = (name: string): name is keyof Draft => Object.hasOwn(emptyDraft('', ''), name);

/** Validates a draft by the schema of the custom resource, whose messages name the problems. */
export function readDraft(draft: Draft): DraftReading {
  const reading = ScheduleSpec.safeParse(candidateOf(draft));
  const problems: Problems = { ...issueLabel(reading.success ? [] : reading.error.issues), ...ownProblems(draft) };
  if (Object.keys(problems).length > 0 || !reading.success) return { ok: false, problems };
  return { ok: true, name: nameOf(draft), body: bodyOf(reading.data) };
}

function candidateOf(draft: Draft): object {
  const number = (text: string): number => (/^[0-9]{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN);
  const target =
    draft.target === 'agent' ? { agentName: draft.agent } : { selector: { matchLabels: labelsOf(draft.labels) ?? {} } };
  return {
    ...target,
    ...timingOf(draft),
    prompt: draft.prompt.trim(),
    workflow: draft.workflow ?? undefined,
    missedRuns: draft.missedRuns,
    catchUpLimit: number(draft.catchUpLimit),
    overlap: draft.overlap,
    startingDeadlineSeconds: number(draft.deadline),
    historyLimit: number(draft.historyLimit),
    suspend: draft.suspend,
  };
}

/** Problems that the schema of the spec cannot see: the name of the object, the days of the week, and labels as one text. */
function ownProblems(draft: Draft): Problems {
  return {
    ...(NAME.test(nameOf(draft)) ? {} : { name: draft.name.trim() === '' ? 'Write a name' : NAME_PROBLEM }),
    ...(isDayless(draft) ? { days: NO_DAY } : {}),
    ...(draft.target === 'agent' || labelsOf(draft.labels) !== null
      ? {}
      : { labels: 'Write labels as key=value, separated by commas' }),
  };
}

type Issue = Readonly<{ path: readonly PropertyKey[]; message: string }>;

function issueLabel(issues: readonly Issue[]): Problems {
  const problems: Partial<Record<keyof Draft, string>> = {};
  for (const issue of issues) {
    const name = String(issue.path[0] ?? 'kind');
    const field = FIELDS[name] ?? (isField(name) ? name : 'kind');
    problems[field] ??= problemLabel(field, issue);
  }
  return problems;
}

function problemLabel(field: keyof Draft, { message }: Issue): string {
  if (field === 'agent') return 'Choose an agent';
  if (field === 'dailyAt') return 'Write a time of day, for example 09:30';
  if (field === 'prompt') return message.startsWith('Too short') ? 'Write the work for the agent' : message;
  return field === 'deadline' || field === 'historyLimit' || field === 'catchUpLimit'
    ? `Write a whole number. ${message}`
    : capital(message);
}

function bodyOf(spec: ScheduleSpec): ScheduleBody {
  return {
    agent_name: spec.agentName ?? null,
    selector: spec.selector === undefined ? null : { match_labels: spec.selector.matchLabels },
    prompt: spec.prompt,
    workflow: spec.workflow ?? null,
    every: spec.every ?? null,
    cron: spec.cron ?? null,
    daily_at: spec.dailyAt ?? null,
    time_zone: spec.timeZone ?? null,
    missed_runs: spec.missedRuns,
    catch_up_limit: spec.catchUpLimit,
    overlap: spec.overlap,
    starting_deadline_seconds: spec.startingDeadlineSeconds,
    suspend: spec.suspend,
    history_limit: spec.historyLimit,
  };
}

/** Only fields that differ from the stored schedule: other people may have changed the rest. */
export function changesOf(body: ScheduleBody, view: ScheduleView): ScheduleChange {
  return Object.fromEntries(
    Object.entries(body).filter(
      ([key, value]) => JSON.stringify(value) !== JSON.stringify(view[key as keyof ScheduleBody]),
    ),
  );
}

export function givenFields(body: ScheduleBody): ScheduleChange {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}
