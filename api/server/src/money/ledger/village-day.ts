/** A formatter takes about sixty times as long to make as to use, and a village has one zone at a time. */
let kept: { readonly timeZone: string; readonly format: Intl.DateTimeFormat } | null = null;

function formatIn(timeZone: string): Intl.DateTimeFormat {
  if (kept?.timeZone !== timeZone) {
    const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
    kept = { timeZone, format };
  }
  return kept.format;
}

export function villageDay(now: Date, timeZone: string): string {
  const parts = formatIn(timeZone).formatToParts(now);
  const of = (type: Intl.DateTimeFormatPartTypes): string => parts.find((part) => part.type === type)?.value ?? '';
  return `${of('year')}-${of('month')}-${of('day')}`;
}

/** Upper bound of a day in any time zone, in ms: 24 h and a clock change of two hours. */
const LONGEST_DAY_MS = 26 * 3_600_000;

/** The start of the village's next day, to the second. A bisection finds it without any rule for summer time. Pure. */
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

export function dayStart(now: Date, timeZone: string): Date {
  const today = villageDay(now, timeZone);
  let within = Math.floor(now.getTime() / 1000) * 1000;
  let before = within - LONGEST_DAY_MS;
  while (within - before > 1000) {
    const middle = before + Math.floor((within - before) / 2000) * 1000;
    if (villageDay(new Date(middle), timeZone) === today) within = middle;
    else before = middle;
  }
  return new Date(within);
}
