import { DAY_MS } from './civil-day.ts';
import { firingsOfUtcDay, type Timetable } from './timetable.ts';

/** About fifty years: the rarest date, a 29 February on a given weekday, comes after at most 40 years (around 2100). */
const HORIZON_DAYS = 18_300;
const MAX_COUNTED = 1_000_000;

/** `afterMs` excluded, `untilMs` included. */
export interface Stretch {
  readonly afterMs: number;
  readonly untilMs: number;
}

function* forwards(timetable: Timetable, afterMs: number): Generator<number> {
  if (timetable.kind === 'periodic') {
    const { periodMs } = timetable;
    for (let slot = Math.floor(afterMs / periodMs) * periodMs + periodMs; ; slot += periodMs) yield slot;
  }
  const firstDay = Math.floor(afterMs / DAY_MS);
  for (let day = firstDay; day < firstDay + HORIZON_DAYS; day += 1) {
    for (const slot of firingsOfUtcDay(timetable, day)) if (slot > afterMs) yield slot;
  }
}

function* backwards(timetable: Timetable, atMs: number): Generator<number> {
  if (timetable.kind === 'periodic') {
    const { periodMs } = timetable;
    for (let slot = Math.floor(atMs / periodMs) * periodMs; ; slot -= periodMs) yield slot;
  }
  const lastDay = Math.floor(atMs / DAY_MS);
  for (let day = lastDay; day > lastDay - HORIZON_DAYS; day -= 1) {
    for (const slot of firingsOfUtcDay(timetable, day).toReversed()) if (slot <= atMs) yield slot;
  }
}

/** Ascending; fewer than `count` if the next fifty years have no more. */
export function nextSlots(timetable: Timetable, afterMs: number, count: number): readonly number[] {
  return slotsBetween(timetable, { afterMs, untilMs: Number.POSITIVE_INFINITY }, count);
}

/** Undefined if the fifty years before `atMs` have no slot. */
export function slotAtOrBefore(timetable: Timetable, atMs: number): number | undefined {
  return newestSlotsBetween(timetable, { afterMs: Number.NEGATIVE_INFINITY, untilMs: atMs }, 1)[0];
}

/** The oldest `limit`, ascending. */
export function slotsBetween(timetable: Timetable, { afterMs, untilMs }: Stretch, limit: number): readonly number[] {
  const slots: number[] = [];
  if (limit <= 0) return slots;
  for (const slot of forwards(timetable, afterMs)) {
    if (slot > untilMs) break;
    if (slots.push(slot) >= limit) break;
  }
  return slots;
}

/** The newest `limit`, ascending. */
export function newestSlotsBetween(
  timetable: Timetable,
  { afterMs, untilMs }: Stretch,
  limit: number,
): readonly number[] {
  const slots: number[] = [];
  if (limit <= 0) return slots;
  for (const slot of backwards(timetable, untilMs)) {
    if (slot <= afterMs) break;
    if (slots.push(slot) >= limit) break;
  }
  return slots.toReversed();
}

/** At most {@link MAX_COUNTED}. */
export function countSlots(timetable: Timetable, { afterMs, untilMs }: Stretch): number {
  if (untilMs <= afterMs) return 0;
  if (timetable.kind === 'periodic')
    return Math.min(MAX_COUNTED, Math.floor(untilMs / timetable.periodMs) - Math.floor(afterMs / timetable.periodMs));
  let count = 0;
  for (let day = Math.floor(untilMs / DAY_MS); day >= Math.floor(afterMs / DAY_MS); day -= 1) {
    count += firingsOfUtcDay(timetable, day).filter((slot) => slot > afterMs && slot <= untilMs).length;
    if (count >= MAX_COUNTED) return MAX_COUNTED;
  }
  return count;
}
