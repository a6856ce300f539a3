/** A slow reference for tests: it finds the firings of cron fields by reading a local clock at every minute. */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MINUTES_OF_DAY = 1_440;
const MAX_LEAP_MINUTES = 180;
const NAMES = [
  'SUN',
  'MON',
  'TUE',
  'WED',
  'THU',
  'FRI',
  'SAT',
  'JAN',
  'FEB',
  'MAR',
  'APR',
  'MAY',
  'JUN',
  'JUL',
  'AUG',
  'SEP',
  'OCT',
  'NOV',
  'DEC',
];

interface Wall {
  /** The reading as text: equal readings have equal labels. */
  readonly label: string;
  readonly values: readonly [minute: number, hour: number, dayOfMonth: number, month: number, dayOfWeek: number];
}

function wallOf(format: Intl.DateTimeFormat, instantMs: number): Wall {
  const [, weekday = '', month = '', day = '', year = '', hour = '', minute = ''] =
    /^(\w+), (\d+)\/(\d+)\/(\d+), (\d+):(\d+)$/.exec(format.format(instantMs)) ?? [];
  return {
    label: `${year}-${month}-${day} ${hour}:${minute}`,
    values: [Number(minute), Number(hour), Number(day), Number(month), NAMES.indexOf(weekday.toUpperCase())],
  };
}

const numberOf = (word: string): number => {
  const index = NAMES.indexOf(word);
  if (index < 0) return Number(word);
  return index < 7 ? index : index - 6;
};

/** First and last value of one item of a cron field with values from `lowest` to `highest`. */
function endsOf(
  range: string,
  hasStep: boolean,
  [lowest, highest]: readonly [number, number],
): readonly [number, number] {
  if (range === '*') return [lowest, highest];
  const [from = lowest, last] = range.split('-').map(numberOf);
  if (last === undefined) return [from, hasStep ? highest : from];
  // SUN as the end of a range is 7, for example in FRI-SUN.
  return [from, last < from ? 7 : last];
}

function fits(field: string, value: number, limits: readonly [number, number]): boolean {
  return field.split(',').some((item) => {
    const [range = '', step] = item.split('/');
    const [from, to] = endsOf(range, step !== undefined, limits);
    return value >= from && value <= to && (value - from) % Number(step ?? 1) === 0;
  });
}

const LIMITS = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
] as const;

function fitsDayOf(dayOfMonth: string, dayOfWeek: string, { values: [, , date, , weekday] }: Wall): boolean {
  const byDate = fits(dayOfMonth, date, LIMITS[2]);
  const asSeven = weekday === 0 && !dayOfWeek.startsWith('*') && fits(dayOfWeek, 7, [0, 7]);
  const byWeek = fits(dayOfWeek, weekday, [0, 6]) || asSeven;
  return dayOfMonth.startsWith('*') || dayOfWeek.startsWith('*') ? byDate && byWeek : byDate || byWeek;
}

function fitsWall(
  [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = '']: readonly string[],
  wall: Wall,
): boolean {
  const inTheDay = fits(minute, wall.values[0], LIMITS[0]) && fits(hour, wall.values[1], LIMITS[1]);
  return inTheDay && fits(month, wall.values[3], LIMITS[3]) && fitsDayOf(dayOfMonth, dayOfWeek, wall);
}

/** The local times that the clock leaps over between two readings, which are one minute apart. */
function leaptOver(before: Wall, after: Wall): readonly Wall[] {
  const minuteOfDay = ({ values: [minute, hour] }: Wall): number => hour * 60 + minute;
  const first = minuteOfDay(before) + 1;
  const count = (minuteOfDay(after) - first + MINUTES_OF_DAY) % MINUTES_OF_DAY;
  if (count > MAX_LEAP_MINUTES) return [];
  return Array.from({ length: count }, (_, index) => {
    const { label, values } = first + index < MINUTES_OF_DAY ? before : after;
    const minute = (first + index) % MINUTES_OF_DAY;
    return { label, values: [minute % 60, Math.floor(minute / 60), values[2], values[3], values[4]] };
  });
}

const isWildcard = ([minute = '', hour = '']: readonly string[]): boolean =>
  minute.startsWith('*') || hour.startsWith('*');

/** Every instant of the stretch at which the fields fire. Starts two days earlier, to know repeated local times. */
export function firingsByWalking(
  cronText: string,
  timeZone: string,
  { afterMs, untilMs }: { readonly afterMs: number; readonly untilMs: number },
): readonly number[] {
  const cron = cronText.split(/ +/);
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  });
  const shown = new Set<string>();
  const firings: number[] = [];
  let before: Wall | undefined;
  for (
    let instant = Math.floor(afterMs / MINUTE_MS) * MINUTE_MS - 2 * DAY_MS;
    instant <= untilMs;
    instant += MINUTE_MS
  ) {
    const wall = wallOf(format, instant);
    if (instant > afterMs && firesAt(cron, wall, { before, again: shown.has(wall.label) })) firings.push(instant);
    shown.add(wall.label);
    before = wall;
  }
  return firings;
}

function firesAt(
  cron: readonly string[],
  wall: Wall,
  { before, again }: { readonly before: Wall | undefined; readonly again: boolean },
): boolean {
  if (isWildcard(cron)) return fitsWall(cron, wall);
  if (fitsWall(cron, wall) && !again) return true;
  return before !== undefined && leaptOver(before, wall).some((missing) => fitsWall(cron, missing));
}
