import { TICKS_PER_DAY, TICKS_PER_MINUTE, type VillageTime } from '@hamlet/contract';

/** Village minutes at which the phases of the day begin. */
const DAWN_MINUTE = 6 * 60;
const DAY_MINUTE = 9 * 60;
const EVENING_MINUTE = 18 * 60;
const NIGHT_MINUTE = 22 * 60;

/** The start of the village's time: dawn, so that the first visitors see a morning. */
const FIRST_MINUTE = DAWN_MINUTE;

function phaseAt(minute: number): VillageTime['phase'] {
  if (minute < DAWN_MINUTE || minute >= NIGHT_MINUTE) return 'night';
  if (minute < DAY_MINUTE) return 'morning';
  return minute < EVENING_MINUTE ? 'day' : 'evening';
}

/** `minute`: 0 to 1439; one village minute is ten ticks. */
export function timeOfDay(tick: number): VillageTime {
  const shifted = Math.floor(tick) + FIRST_MINUTE * TICKS_PER_MINUTE;
  const minute = Math.floor((shifted % TICKS_PER_DAY) / TICKS_PER_MINUTE);
  return { day: Math.floor(shifted / TICKS_PER_DAY), minute, phase: phaseAt(minute) };
}

/** The last dawn at or before a tick; dawn 0 is at tick 0. */
export const dawnsUntil = (tick: number): number => Math.floor(tick / TICKS_PER_DAY);
