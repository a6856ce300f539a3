import type { CivilDay } from './civil-day.ts';

export interface CronFields {
  /** 0 to 1439, ascending. */
  readonly minutesOfDay: readonly number[];
  readonly daysOfMonth: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. */
  readonly daysOfWeek: ReadonlySet<number>;
  /** True if a day must match both day fields, because one begins with `*`. */
  readonly bothDays: boolean;
  /** True if the minute or the hour begins with `*`; {@link Calendar} has the rule. */
  readonly wildcard: boolean;
}

/** The message names the fault and the fix. */
export class CronError extends Error {
  override readonly name = 'CronError';
}

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names of the values; the first stands for `min`. */
  readonly words: readonly string[];
}

const MINUTE: Field = { name: 'minute', min: 0, max: 59, words: [] };
const HOUR: Field = { name: 'hour', min: 0, max: 23, words: [] };
const DAY_OF_MONTH: Field = { name: 'day of month', min: 1, max: 31, words: [] };
const MONTH: Field = {
  name: 'month',
  min: 1,
  max: 12,
  words: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
};
/** Both 0 and 7 are Sunday, so that FRI-SUN and 5-7 are ranges. */
const DAY_OF_WEEK: Field = {
  name: 'day of week',
  min: 0,
  max: 7,
  words: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
};

function valueOf(field: Field, word: string): number {
  const index = field.words.indexOf(word.toUpperCase());
  const value = index >= 0 ? index + field.min : Number(word);
  if (/^[0-9]{1,2}$/.test(word) || index >= 0) {
    if (value >= field.min && value <= field.max) return value;
  }
  throw new CronError(
    `${field.name}: write a number from ${field.min} to ${field.max}${field.words.length === 0 ? '' : ` or a name such as ${field.words[1]}`} instead of "${word}"`,
  );
}

/** SUN as an end is 7, for example in FRI-SUN. */
function endOf(field: Field, word: string, from: number): number {
  const end = valueOf(field, word);
  return field === DAY_OF_WEEK && end === 0 && from > 0 ? 7 : end;
}

function rangeOf(field: Field, text: string, stepped: boolean): Readonly<{ from: number; to: number }> {
  if (text === '*') return { from: field.min, to: field === DAY_OF_WEEK ? 6 : field.max };
  const [first = '', last, ...more] = text.split('-');
  const from = valueOf(field, first);
  // A start with a step and no end continues to the field's maximum: "5/15" is 5, 20, 35, 50.
  if (last === undefined) return { from, to: stepped ? field.max : from };
  const to = endOf(field, last, from);
  if (more.length > 0 || to < from)
    throw new CronError(
      `${field.name}: "${text}" runs backwards: write the smaller value first, or two ranges with a comma between`,
    );
  return { from, to };
}

function valuesOf(field: Field, text: string): ReadonlySet<number> {
  const values = new Set<number>();
  for (const item of text.split(',')) {
    const [bare = '', stepText, ...more] = item.split('/');
    const step = stepText === undefined ? 1 : Number(stepText);
    if (more.length > 0 || !Number.isInteger(step) || step < 1)
      throw new CronError(`${field.name}: write a step of at least 1 instead of "${item}"`);
    const { from, to } = rangeOf(field, bare, stepText !== undefined);
    for (let value = from; value <= to; value += step) values.add(field === DAY_OF_WEEK ? value % 7 : value);
  }
  return values;
}

const ascending = (values: Iterable<number>): readonly number[] => [...values].toSorted((a, b) => a - b);

/** Vixie cron: numbers, names, lists, ranges and steps. Throws CronError. */
export function readCron(text: string): CronFields {
  const fields = text.trim().split(/\s+/);
  const [minute, hour, dayOfMonth, month, dayOfWeek] = fields;
  if (
    fields.length !== 5 ||
    minute === undefined ||
    hour === undefined ||
    dayOfMonth === undefined ||
    month === undefined ||
    dayOfWeek === undefined
  ) {
    throw new CronError(
      `write five fields (minute, hour, day of month, month, day of week) instead of ${fields.length}`,
    );
  }
  const minutes = ascending(valuesOf(MINUTE, minute));
  return {
    minutesOfDay: ascending(valuesOf(HOUR, hour)).flatMap((h) => minutes.map((m) => h * 60 + m)),
    daysOfMonth: valuesOf(DAY_OF_MONTH, dayOfMonth),
    months: valuesOf(MONTH, month),
    daysOfWeek: valuesOf(DAY_OF_WEEK, dayOfWeek),
    bothDays: dayOfMonth.startsWith('*') || dayOfWeek.startsWith('*'),
    wildcard: minute.startsWith('*') || hour.startsWith('*'),
  };
}

export function fitsDay({ months, daysOfMonth, daysOfWeek, bothDays }: CronFields, day: CivilDay): boolean {
  if (!months.has(day.month)) return false;
  const [byDate, byWeek] = [daysOfMonth.has(day.dayOfMonth), daysOfWeek.has(day.dayOfWeek)];
  return bothDays ? byDate && byWeek : byDate || byWeek;
}
