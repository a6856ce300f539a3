import type { Draft } from './schedule-draft.ts';
import { type Day, inOrder, WEEK, WORKDAYS } from './weekly.ts';

/** Longest text that is read as a timing. */
export const SAID_MAX_CHARS = 80;

type SaidTiming = Partial<Pick<Draft, 'kind' | 'every' | 'dailyAt' | 'days'>>;
interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

const DAY = /^(sun|mon|tue|wed|thu|fri|sat)(?:s|days?|sdays?|nesdays?|rs|rsdays?|urdays?)?$/;
const GROUPS: ReadonlyMap<string, readonly Day[]> = new Map([
  ['daily', WEEK],
  ['day', WEEK],
  ['weekday', WORKDAYS],
  ['weekend', ['SAT', 'SUN']],
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
  const on = days === '' ? WEEK : daysIn(days.replace(/^(every|each|on) /, ''));
  if (time === null || on === null) return null;
  const two = (number: number): string => String(number).padStart(2, '0');
  const dailyAt = `${two(time.hour)}:${two(time.minute)}`;
  return on.length === WEEK.length ? { kind: 'daily', dailyAt } : { kind: 'weekly', days: on, dailyAt };
}

/** The days of the week; null if a word is not a day. */
function daysIn(text: string): readonly Day[] | null {
  const group = GROUPS.get(text.replace(/s$/, ''));
  if (group !== undefined) return group;
  const words = text.split(/(?:, ?(?:and )?| and | )/);
  const days = words.map((word) => WEEK.find((day) => day.toLowerCase() === DAY.exec(word)?.[1]));
  return days.includes(undefined) ? null : inOrder(days.filter((day) => day !== undefined));
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
