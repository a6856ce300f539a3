import type { ScheduleSpec } from '@hamlet/contract/kinds';
import { durationMs } from '@hamlet/contract/kinds';
import { civilDay, DAY_MS, dayNumberOf } from './civil-day.ts';
import { CronError, fitsDay, readCron, type CronFields } from './cron.ts';

export type Timing = Pick<ScheduleSpec, 'every' | 'cron' | 'dailyAt' | 'timeZone'>;

/** Slot number: Unix seconds divided by `every`, rounded down. */
interface Periodic {
  readonly kind: 'periodic';
  readonly periodMs: number;
}

/**
 * Fires by the local time of a time zone. When the clocks change, the rules of Vixie cron apply. They neither lose
 * nor repeat a daily job; Kubernetes' CronJob loses one in spring and runs two in autumn.
 * - Fixed time that the clocks leap over: the job fires at the leap, once for all times in the leap.
 * - Fixed time that comes twice: the job fires the first time.
 * - Minute or hour begins with `*`: no firing for the times in the leap, a second firing for times that come twice.
 * - Leap of more than three hours (a zone that crosses the date line): no firing for the times in the leap.
 */
interface Calendar {
  readonly kind: 'calendar';
  readonly zone: string;
  readonly fields: CronFields;
}

export type Timetable = Periodic | Calendar;

export type TimetableReading =
  | { readonly ok: true; readonly timetable: Timetable }
  | { readonly ok: false; readonly problem: string };

const MAX_LEAP_MS = 3 * 3_600_000;
const MINUTE_MS = 60_000;

function cronOf({ cron, dailyAt = '' }: Timing): string {
  if (cron !== undefined) return cron;
  const [hour, minute] = dailyAt.split(':');
  return `${minute} ${hour} * * *`;
}

/** `problem` names the fault and the fix. */
export function readTiming(timing: Timing): TimetableReading {
  if (timing.every !== undefined)
    return { ok: true, timetable: { kind: 'periodic', periodMs: durationMs(timing.every) } };
  const zone = timing.timeZone ?? 'UTC';
  try {
    localMs(zone, 0);
    return { ok: true, timetable: { kind: 'calendar', zone, fields: readCron(cronOf(timing)) } };
  } catch (error) {
    if (error instanceof CronError) return { ok: false, problem: `cron: ${error.message}` };
    if (error instanceof RangeError)
      return { ok: false, problem: `timeZone: "${zone}" is unknown here: write an IANA name such as Europe/Zurich` };
    throw error;
  }
}

/** Two timings with the same line fire at the same times. */
export function describeTiming({ every, cron, dailyAt, timeZone = 'UTC' }: Timing): string {
  if (every !== undefined) return `every ${every}`;
  return cron === undefined ? `daily ${dailyAt ?? ''} ${timeZone}` : `${cron} ${timeZone}`;
}

interface Change {
  readonly beforeMs: number;
  readonly afterMs: number;
}

function firingsOf({ zone, fields }: Calendar, local: number, { beforeMs, afterMs }: Change): readonly number[] {
  const instants = [local - beforeMs, local - afterMs].filter((instant) => localMs(zone, instant) === local);
  if (instants.length === 1 || fields.wildcard) return instants;
  if (instants.length === 2) return [Math.min(...instants)];
  if (afterMs - beforeMs > MAX_LEAP_MS) return [];
  return [changeBetween(zone, local - afterMs, local - beforeMs)];
}

function firingsOfLocalDay(calendar: Calendar, day: number): readonly number[] {
  const { zone, fields } = calendar;
  if (!fitsDay(fields, civilDay(day))) return [];
  const locals = fields.minutesOfDay.map((minute) => day * DAY_MS + minute * MINUTE_MS);
  // An offset is less than a day, so these two instants are before and after the whole local day.
  const beforeMs = offsetMs(zone, (day - 1) * DAY_MS);
  const afterMs = offsetMs(zone, (day + 2) * DAY_MS);
  if (beforeMs === afterMs) return locals.map((local) => local - beforeMs);
  return locals.flatMap((local) => firingsOf(calendar, local, { beforeMs, afterMs }));
}

/** Days count from 1970-01-01. Ascending, each once. */
export function firingsOfUtcDay(calendar: Calendar, utcDay: number): readonly number[] {
  const [startMs, endMs] = [utcDay * DAY_MS, (utcDay + 1) * DAY_MS];
  const all = [utcDay - 1, utcDay, utcDay + 1].flatMap((day) => firingsOfLocalDay(calendar, day));
  const within = new Set(all.filter((instant) => instant >= startMs && instant < endMs));
  return [...within].toSorted((a, b) => a - b);
}

const SECOND_MS = 1_000;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const numeric = 'numeric';
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  });
  formats.set(zone, made);
  return made;
}

/** Milliseconds since a local 1970-01-01, in whole seconds. Throws RangeError for a zone unknown to this machine. */
function localMs(zone: string, instantMs: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(instantMs)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return dayNumberOf({ year, month, dayOfMonth: day }) * DAY_MS + ((hour * 60 + minute) * 60 + second) * SECOND_MS;
}

/** Positive if the clocks are ahead of UTC. */
export function offsetMs(zone: string, instantMs: number): number {
  return localMs(zone, instantMs) - Math.floor(instantMs / SECOND_MS) * SECOND_MS;
}

/** The first second with the offset of `toMs`. At `fromMs`, the zone has another offset. */
function changeBetween(zone: string, fromMs: number, toMs: number): number {
  const after = offsetMs(zone, toMs);
  let [low, high] = [Math.floor(fromMs / SECOND_MS), Math.floor(toMs / SECOND_MS)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetMs(zone, middle * SECOND_MS) === after) high = middle;
    else low = middle;
  }
  return high * SECOND_MS;
}
