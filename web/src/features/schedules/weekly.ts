/** The days of the week as cron writes them, from Monday. */
export const WEEK = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;
export type Day = (typeof WEEK)[number];

export const WORKDAYS: readonly Day[] = WEEK.slice(0, 5);
const WORKDAYS_CRON = 'MON-FRI';
const WEEKLY = /^(\d{1,2}) (\d{1,2}) \* \* ([A-Z,-]+)$/;
const TIME = /^([01]?\d|2[0-3]):([0-5]\d)$/;

/** `Mon` for `MON`. */
export const dayWord = (day: Day): string => `${day.charAt(0)}${day.slice(1).toLowerCase()}`;

/** The days in the order of the week, each once. */
export const inOrder = (days: readonly Day[]): readonly Day[] => WEEK.filter((day) => days.includes(day));

/** Cron fields for days at a time such as `7:30`; null without a day or a time. Pure. */
export function weeklyCron(days: readonly Day[], time: string): string | null {
  const [, hour, minute] = TIME.exec(time.trim()) ?? [];
  if (hour === undefined || minute === undefined || days.length === 0) return null;
  const names = inOrder(days).join(',');
  return `${Number(minute)} ${Number(hour)} * * ${names === WORKDAYS.join(',') ? WORKDAYS_CRON : names}`;
}

/** The days and the time of cron fields that {@link weeklyCron} writes; null for others. Pure. */
export function weeklyIn(cron: string): { readonly days: readonly Day[]; readonly dailyAt: string } | null {
  const [, minute, hour, names = ''] = WEEKLY.exec(cron) ?? [];
  if (minute === undefined || hour === undefined) return null;
  const days = names === WORKDAYS_CRON ? WORKDAYS : WEEK.filter((day) => names.split(',').includes(day));
  const dailyAt = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  return weeklyCron(days, dailyAt) === cron ? { days, dailyAt } : null;
}
