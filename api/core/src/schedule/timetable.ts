import type { ScheduleSpec } from '@hamlet/contract/kinds';
import { durationMs } from '@hamlet/contract/kinds';
import { civilDay, DAY_MS, dayNumberOf } from './civil-day.ts';
import { CronError, fitsDay, readCron, type CronFields } from './cron.ts';

/** The part of a Schedule that says when. */
export type Timing = Pick<ScheduleSpec, 'every' | 'cron' | 'dailyAt' | 'timeZone'>;

/** Fires whenever Unix time is a multiple of the period: slot number = floor(Unix seconds / every). */
interface Periodic {
  readonly kind: 'periodic';
  readonly periodMs: number;
}

/**
 * Fires by the clocks of a time zone. When they change (Vixie cron's rule, which is what people have known for thirty
 * years; it loses no daily job and doubles none, where Kubernetes' CronJob loses one in spring and runs two in autumn):
 * - A job at fixed times, whose time the clocks leap over, fires at the leap; times that are leapt over together fire once.
 * - A job at fixed times, whose time comes twice, fires the first time.
 * - A job whose minute or hour begins with `*` follows the clock as it runs: not in the time that is leapt over, and
 *   again in the time that comes again.
 * - A leap of more than three hours (a zone that changes sides of the date line) is no summer time: that time is not there.
 */
interface Calendar {
  readonly kind: 'calendar';
  readonly zone: string;
  readonly fields: CronFields;
}

/** When a Schedule fires, ready to be asked: see `slots.ts`. */
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

/** Reads the timing of a Schedule; the problem says what to write instead. */
export function readTiming(timing: Timing): TimetableReading {
  if (timing.every !== undefined)
    return { ok: true, timetable: { kind: 'periodic', periodMs: durationMs(timing.every) } };
  const zone = timing.timeZone ?? 'UTC';
  try {
    localMs(zone, 0);
    return { ok: true, timetable: { kind: 'calendar', zone, fields: readCron(cronOf(timing)) } };
  } catch (error) {
    if (error instanceof CronError) return { ok: false, problem: `cron: ${error.message}` };
    if (error instanceof RangeError) return { ok: false, problem: `timeZone: "${zone}" is not known here` };
    throw error;
  }
}

/** When a Schedule fires, in one line: two timings fire alike if this is the same. */
export function describeTiming({ every, cron, dailyAt, timeZone = 'UTC' }: Timing): string {
  if (every !== undefined) return `every ${every}`;
  return cron === undefined ? `daily ${dailyAt ?? ''} ${timeZone}` : `${cron} ${timeZone}`;
}

interface Change {
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** The instants at which a local time fires, on a day around which the clocks change. */
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
  // Offsets are within a day of UTC: a day before and two days after the local midnight lie outside of the local day.
  const beforeMs = offsetMs(zone, (day - 1) * DAY_MS);
  const afterMs = offsetMs(zone, (day + 2) * DAY_MS);
  if (beforeMs === afterMs) return locals.map((local) => local - beforeMs);
  return locals.flatMap((local) => firingsOf(calendar, local, { beforeMs, afterMs }));
}

/** The instants of one UTC day (counted from 1970-01-01) at which a calendar fires, ascending, each once. */
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

/**
 * Local time of a time zone at an instant, in milliseconds as if they showed UTC. Whole seconds.
 * @throws RangeError where this machine's time zone database does not know the zone
 */
export function localMs(zone: string, instantMs: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(instantMs)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return dayNumberOf({ year, month, dayOfMonth: day }) * DAY_MS + ((hour * 60 + minute) * 60 + second) * SECOND_MS;
}

/** How far the clocks of a time zone are ahead of UTC at an instant, in milliseconds. */
export function offsetMs(zone: string, instantMs: number): number {
  return localMs(zone, instantMs) - Math.floor(instantMs / SECOND_MS) * SECOND_MS;
}

/** The first second after `fromMs` at which the offset is what it is at `toMs`; both must differ in it. */
export function changeBetween(zone: string, fromMs: number, toMs: number): number {
  const after = offsetMs(zone, toMs);
  let [low, high] = [Math.floor(fromMs / SECOND_MS), Math.floor(toMs / SECOND_MS)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetMs(zone, middle * SECOND_MS) === after) high = middle;
    else low = middle;
  }
  return high * SECOND_MS;
}
