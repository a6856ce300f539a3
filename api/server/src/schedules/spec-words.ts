import type { ScheduleChange, ScheduleSpec } from '@hamlet/contract';

/** Fields of a Schedule's spec: their names on the wire and in the custom resource. */
const FIELDS = {
  agent_name: 'agentName',
  selector: 'selector',
  prompt: 'prompt',
  every: 'every',
  cron: 'cron',
  daily_at: 'dailyAt',
  time_zone: 'timeZone',
  missed_runs: 'missedRuns',
  catch_up_limit: 'catchUpLimit',
  overlap: 'overlap',
  starting_deadline_seconds: 'startingDeadlineSeconds',
  suspend: 'suspend',
  history_limit: 'historyLimit',
} as const satisfies Readonly<Record<keyof ScheduleChange, keyof ScheduleSpec>>;

/** Null takes a field away. */
export type SpecChange = { readonly [K in keyof ScheduleSpec]?: unknown };

function valueOf(key: keyof ScheduleChange, change: ScheduleChange): unknown {
  if (key !== 'selector' || change.selector === null || change.selector === undefined) return change[key];
  return { matchLabels: change.selector.match_labels };
}

/** A change in the words of the custom resource. Pure. */
export function specChangeOf(change: ScheduleChange): SpecChange {
  const entries = Object.entries(FIELDS) as readonly (readonly [keyof ScheduleChange, keyof ScheduleSpec])[];
  return Object.fromEntries(
    entries.flatMap(([key, field]) => (change[key] === undefined ? [] : [[field, valueOf(key, change)]])),
  );
}

/** The spec of a new Schedule: what is null is left out. Pure. */
export function newSpecOf(change: ScheduleChange): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(specChangeOf(change)).filter(([, value]) => value !== null));
}

/** The body of a merge patch. A map of labels is replaced as a whole, so those that are not wanted any more are taken out by name. Pure. */
export function mergePatchOf(change: SpecChange, before: ScheduleSpec): Readonly<Record<string, unknown>> {
  const { selector, ...others } = change;
  if (typeof selector !== 'object' || selector === null) return { ...change };
  const { matchLabels } = selector as { readonly matchLabels: Readonly<Record<string, string>> };
  const gone = Object.keys(before.selector?.matchLabels ?? {}).map((label) => [label, null] as const);
  return { ...others, selector: { matchLabels: { ...Object.fromEntries(gone), ...matchLabels } } };
}

/** Of a change, what would be different from what it is. The rest is not written: who writes a field owns it. Pure. */
export function changeOf(asked: SpecChange, before: ScheduleSpec): SpecChange {
  const fields = Object.keys(asked) as (keyof ScheduleSpec)[];
  return Object.fromEntries(
    fields.flatMap((field) =>
      JSON.stringify(asked[field] ?? null) === JSON.stringify(before[field] ?? null) ? [] : [[field, asked[field]]],
    ),
  );
}
