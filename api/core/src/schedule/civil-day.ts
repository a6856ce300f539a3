export interface CivilDay {
  readonly year: number;
  readonly month: number;
  readonly dayOfMonth: number;
  /** 0 is Sunday. */
  readonly dayOfWeek: number;
}

export const DAY_MS = 86_400_000;
const DAYS_PER_ERA = 146_097;
const DAYS_FROM_MARCH_0000_TO_1970 = 719_468;
const FIRST_DAY_OF_WEEK = 4;

/** Day 0 is 1970-01-01. Years begin in March (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms"). */
export function civilDay(dayNumber: number): CivilDay {
  const shifted = dayNumber + DAYS_FROM_MARCH_0000_TO_1970;
  const era = Math.floor(shifted / DAYS_PER_ERA);
  const dayOfEra = shifted - era * DAYS_PER_ERA;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    dayOfMonth: dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
    dayOfWeek: (((dayNumber + FIRST_DAY_OF_WEEK) % 7) + 7) % 7,
  };
}

/** Days since 1970-01-01. */
export function dayNumberOf({ year, month, dayOfMonth }: Omit<CivilDay, 'dayOfWeek'>): number {
  const yearFromMarch = month <= 2 ? year - 1 : year;
  const era = Math.floor(yearFromMarch / 400);
  const yearOfEra = yearFromMarch - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + dayOfMonth - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_PER_ERA + dayOfEra - DAYS_FROM_MARCH_0000_TO_1970;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** RFC 3339 in UTC, rounded down to whole seconds. */
export function utcText(instantMs: number): string {
  const { year, month, dayOfMonth } = civilDay(Math.floor(instantMs / DAY_MS));
  const seconds = Math.floor((instantMs - Math.floor(instantMs / DAY_MS) * DAY_MS) / 1_000);
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(dayOfMonth)}T${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}Z`;
}
