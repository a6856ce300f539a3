/** The village's day that a moment falls on, `2026-11-22`, in the village's time zone. Pure. */
export function villageDay(now: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(now);
  const of = (type: Intl.DateTimeFormatPartTypes): string => parts.find((part) => part.type === type)?.value ?? '';
  return `${of('year')}-${of('month')}-${of('day')}`;
}

/** The longest day that a clock of people has, in milliseconds: with an hour put back twice, and to spare. */
const LONGEST_DAY_MS = 26 * 3_600_000;

/** When the village's next day begins, to the second: found by halving, so that summer time needs no rule here. Pure. */
export function nextDayAt(now: Date, timeZone: string): Date {
  const today = villageDay(now, timeZone);
  let before = Math.floor(now.getTime() / 1000) * 1000;
  let after = before + LONGEST_DAY_MS;
  while (after - before > 1000) {
    const middle = before + Math.floor((after - before) / 2000) * 1000;
    if (villageDay(new Date(middle), timeZone) === today) before = middle;
    else after = middle;
  }
  return new Date(after);
}
