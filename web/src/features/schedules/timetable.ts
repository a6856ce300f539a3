import { ScheduleSpec, type ScheduleView } from '@hamlet/contract';
import type { Timetable, Timing } from '@hamlet/core';
import { countSlots, describeTiming, newestSlotsBetween, nextSlots, readTiming, slotAtOrBefore } from '@hamlet/core';
import { capital } from '../../client/labels.ts';
import type { Checked } from '../../client/drafts.ts';

const SHOWN_AHEAD = 5;

export function nextTimes(timing: Timing, nowMs: number): Checked<{ slots: readonly number[] }> {
  const reading = readChecked(timing);
  if (!reading.ok) return reading;
  const slots = nextSlots(reading.timetable, nowMs, SHOWN_AHEAD);
  return slots.length === 0
    ? { ok: false, problem: 'No date in the next fifty years fits. Change the cron fields.' }
    : { ok: true, slots };
}

/** Validates a timing with the schema of the custom resource, because the calculation needs valid input. */
function readChecked(timing: Timing): Checked<{ timetable: Timetable }> {
  const checked = ScheduleSpec.safeParse({ agentName: 'anybody', prompt: 'anything', ...timing });
  const [issue] = checked.success ? [] : checked.error.issues;
  return issue === undefined ? readTiming(timing) : { ok: false, problem: `${capital(issue.message)}.` };
}

function timingOfView({
  every,
  cron,
  daily_at: dailyAt,
  time_zone: timeZone,
}: Pick<ScheduleView, 'every' | 'cron' | 'daily_at' | 'time_zone'>): Timing {
  return {
    ...(every === null ? {} : { every }),
    ...(cron === null ? {} : { cron }),
    ...(dailyAt === null ? {} : { dailyAt }),
    ...(timeZone === null ? {} : { timeZone }),
  };
}

const WEEKLY = /^(\d{1,2}) (\d{1,2}) \* \* ([A-Z]{3}(?:[-,][A-Z]{3})*)$/;
const DAY_GROUPS: Readonly<Record<string, string>> = { 'MON-FRI': 'weekdays', 'SAT,SUN': 'weekends' };

/** `weekdays 07:30` or `Mon, Fri 08:30` for cron fields with days of the week and one time; null for others. */
function weeklyLabel(cron: string): string | null {
  const [, minute, hour, days] = WEEKLY.exec(cron) ?? [];
  if (minute === undefined || hour === undefined || days === undefined) return null;
  const named = days
    .toLowerCase()
    .split(/(?=[-,])/)
    .map((part) => part.replace(/[a-z]/, (first) => first.toUpperCase()));
  return `${DAY_GROUPS[days] ?? named.join('').replaceAll(',', ', ')} ${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
}

/** The timing in words as far as it has some, with its time zone. */
export function timingLabel(view: Parameters<typeof timingOfView>[0]): string {
  const weekly = view.cron === null ? null : weeklyLabel(view.cron);
  return weekly === null ? describeTiming(timingOfView(view)) : `${weekly} ${view.time_zone ?? 'UTC'}`;
}

/** The time zones to show: that of the schedule (UTC for a period), and that of the viewer if it differs. */
export function zonesOf(
  timeZone: string | null,
  viewerZone: string,
): readonly { readonly zone: string; readonly word: string }[] {
  const own = timeZone ?? 'UTC';
  if (own === viewerZone) return [{ zone: own, word: `${own} (yours)` }];
  return [
    { zone: own, word: own },
    { zone: viewerZone, word: `${viewerZone} (yours)` },
  ];
}

export type PastRow =
  | { readonly kind: 'fired'; readonly slotMs: number; readonly firing: ScheduleView['last_firings'][number] }
  | { readonly kind: 'silent'; readonly fromMs: number; readonly untilMs: number; readonly count: number };

/** Newest first, with the slots between them that did not fire. Leaves out slots of an earlier timing. */
export function pastRows(view: ScheduleView): PastRow[] {
  const fired = view.last_firings
    .map((firing) => ({ kind: 'fired' as const, slotMs: Date.parse(firing.slot), firing }))
    .toSorted((left, right) => right.slotMs - left.slotMs);
  const reading = readChecked(timingOfView(view));
  if (!reading.ok) return fired;
  const lastMs = view.status.last_slot === null ? null : Date.parse(view.status.last_slot);
  const [newest] = fired;
  const ahead = newest === undefined || lastMs === null ? [] : silence(reading.timetable, newest.slotMs, lastMs + 1);
  return [
    ...ahead,
    ...fired.flatMap((row, index) => {
      const older = fired[index + 1];
      return older === undefined ? [row] : [row, ...silence(reading.timetable, older.slotMs, row.slotMs)];
    }),
  ];
}

/** The slots between two instants, both excluded; none if the older instant is not a slot of this timetable. */
function silence(timetable: Timetable, olderMs: number, newerMs: number): PastRow[] {
  if (slotAtOrBefore(timetable, olderMs) !== olderMs) return [];
  const between = { afterMs: olderMs, untilMs: newerMs - 1 };
  const count = countSlots(timetable, between);
  const [fromMs] = nextSlots(timetable, olderMs, 1);
  const [untilMs] = newestSlotsBetween(timetable, between, 1);
  return count === 0 || fromMs === undefined || untilMs === undefined
    ? []
    : [{ kind: 'silent', fromMs, untilMs, count }];
}
