import { civilDay, DAY_MS } from './civil-day.ts';

const two = (value: number): string => String(value).padStart(2, '0');

/** RFC 3339 in UTC with whole seconds, rounded down: how a status writes times. */
export function utcText(instantMs: number): string {
  const { year, month, dayOfMonth } = civilDay(Math.floor(instantMs / DAY_MS));
  const seconds = Math.floor((instantMs - Math.floor(instantMs / DAY_MS) * DAY_MS) / 1_000);
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(dayOfMonth)}T${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}Z`;
}
