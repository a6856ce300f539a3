import type { Draft } from './schedule-draft.ts';

/** Longest text that is read as a timing. */
export const SAID_MAX_CHARS = 80;

type SaidTiming = Partial<Pick<Draft, 'kind' | 'every' | 'dailyAt' | 'cron'>>;
interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
const DAY = /^(sun|mon|tue|wed|thu|fri|sat)(?:s|days?|sdays?|nesdays?|rs|rsdays?|urdays?)?$/;
const GROUPS: ReadonlyMap<string, string> = new Map([
  ['daily', '*'],
  ['day', '*'],
  ['weekday', 'MON-FRI'],
  ['weekend', 'SAT,SUN'],
]);

/**
 * Reads a timing in words: `7:30`, `at 7 pm`, `every 10 minutes`, `every weekday at 7`, `Mondays and Fridays at 8:30`,
 * `hourly`. Null for other texts. Pure.
 */
export function saidTiming(text: string): SaidTiming | null {
  const said = text
    .slice(0, SAID_MAX_CHARS + 1)
    .trim()
    .toLowerCase()
    .replaceAll(/\s+/g, ' ');
  if (said === '' || said.length > SAID_MAX_CHARS) return null;
  return periodIn(said) ?? clockIn(said);
}

function periodIn(said: string): SaidTiming | null {
  if (said === 'hourly') return { kind: 'every', every: '1h' };
  const found = /^every (?:(\d{1,4}) ?)?(s|m|h)(?:ec|in|r)?(?:ond|ute|our)?s?$/.exec(said);
  const [, count = '1', unit] = found ?? [];
  return unit === undefined ? null : { kind: 'every', every: `${Number(count)}${unit}` };
}

function clockIn(said: string): SaidTiming | null {
  const [, days = '', clock = ''] = /^(?:(.*) )?at (.+)$/.exec(said) ?? [null, '', said];
  const time = timeOfDay(clock);
  const on = days === '' ? '*' : daysIn(days.replace(/^(every|each|on) /, ''));
  if (time === null || on === null) return null;
  if (on !== '*') return { kind: 'cron', cron: `${time.minute} ${time.hour} * * ${on}` };
  const two = (number: number): string => String(number).padStart(2, '0');
  return { kind: 'daily', dailyAt: `${two(time.hour)}:${two(time.minute)}` };
}

/** The days of the week as a cron field; null if a word is not a day. */
function daysIn(text: string): string | null {
  const group = GROUPS.get(text.replace(/s$/, ''));
  if (group !== undefined) return group;
  const words = text.split(/(?:, ?(?:and )?| and | )/);
  const days = words.map((word) => DAYS.findIndex((day) => day === DAY.exec(word)?.[1]));
  if (days.includes(-1)) return null;
  const names = [...new Set(days)].toSorted((a, b) => a - b).map((day) => DAYS[day]?.toUpperCase());
  return names.join(',');
}

const NAMED: ReadonlyMap<string, TimeOfDay> = new Map([
  ['noon', { hour: 12, minute: 0 }],
  ['midnight', { hour: 0, minute: 0 }],
]);

/** `7`, `7:30`, `07.30`, `7 am`, `12:15pm`, `noon`. */
function timeOfDay(text: string): TimeOfDay | null {
  const [, hours, minutes = '0', half] = /^(\d{1,2})(?:[:.](\d\d))?(?: ?(am|pm))?$/.exec(text) ?? [];
  if (hours === undefined) return NAMED.get(text) ?? null;
  const hour = halfDay(Number(hours), half);
  const minute = Number(minutes);
  return hour === null || hour > 23 || minute > 59 ? null : { hour, minute };
}

function halfDay(hour: number, half: string | undefined): number | null {
  if (half === undefined) return hour;
  if (hour < 1 || hour > 12) return null;
  return (hour % 12) + (half === 'pm' ? 12 : 0);
}
