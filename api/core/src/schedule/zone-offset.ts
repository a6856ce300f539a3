import { DAY_MS, dayNumberOf } from './civil-day.ts';

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
 * What the clocks of a time zone show at an instant, in milliseconds as if they showed UTC. Whole seconds.
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
