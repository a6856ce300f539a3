import { matching, SHORT_CHARS } from './text.ts';

const cronList = (value: string): string => {
  const range = `([*]|${value}(-${value})?)(/[1-9][0-9]?)?`;
  return `${range}(,${range})*`;
};
const MONTHS = 'JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC';
const DAYS = 'SUN|MON|TUE|WED|THU|FRI|SAT';
const CRON_FIELDS = [
  '([0-5]?[0-9])',
  '([01]?[0-9]|2[0-3])',
  '(0?[1-9]|[12][0-9]|3[01])',
  `(0?[1-9]|1[0-2]|${MONTHS})`,
  `([0-7]|${DAYS})`,
];

/** No seconds, no `TZ=` prefix. */
export const Cron = matching(
  `^${CRON_FIELDS.map(cronList).join(' +')}$`,
  128,
  'write five cron fields (minute, hour, day of month, month, day of week), for example "0 9 * * MON-FRI"',
);

export const DailyAt = matching(
  '^([01][0-9]|2[0-3]):[0-5][0-9]$',
  SHORT_CHARS,
  'write a time of day in quotes, for example "09:30"',
);
