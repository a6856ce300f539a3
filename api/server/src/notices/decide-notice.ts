import type { AwayGroup, Need, NoticeWants } from '@hamlet/contract';
import { nextSlots, readTiming } from '@hamlet/core';
import { sharedNeeds } from '../attention/need-shares.ts';

/** The pause between two checks of what waits for a person, and after a notice. */
const LOOK_S = 60;
export const AFTER_NOTICE_S = 15 * 60;
const MORNING = '07:00';
/** How far the clocks of two replicas may differ, so that the second one sends no further mail on the same morning. */
const CLOCKS_DIFFER_S = 3_600;
/** Number of needs that the table keeps: further ones are neither new nor noted. */
const NOTED_MAX = 100;
const FIRST_RETRY_S = 60;
const LONGEST_RETRY_S = 3_600;
const DAY_S = 86_400;

/** The names under which a target remembers needs. */
const keyOf = ({ kind, id }: Need): string => `${kind}/${id}`;

interface Look {
  readonly wants: Exclude<NoticeWants, 'off'>;
  readonly noted: readonly string[];
  readonly needs: readonly Need[];
  readonly groups: readonly AwayGroup[];
  readonly nowMs: number;
  readonly timeZone: string;
}

/** `fresh`: the number of needs that no notice has named; `noted` and `dueInS` hold from now on. */
export interface Decision {
  readonly sent: boolean;
  readonly fresh: number;
  readonly noted: readonly string[];
  readonly dueInS: number;
}

/** Seconds to the next morning of the village. Pure. */
export function untilMorning(nowMs: number, timeZone: string): number {
  const reading = readTiming({ dailyAt: MORNING, timeZone });
  const [next] = reading.ok ? nextSlots(reading.timetable, nowMs, 1) : [];
  return next === undefined ? DAY_S : Math.ceil((next - nowMs) / 1_000);
}

/**
 * Decides if a person gets a notice now, and when to check again. With `needs`, a notice is due if something waits that
 * no notice has named; with `morning`, if something waits or has changed. A need that ends is forgotten, so that it
 * counts as new if it comes back. Pure.
 */
export function decideNotice({ wants, noted, needs, groups, nowMs, timeZone }: Look): Decision {
  const known = new Set(noted);
  const kept = sharedNeeds(needs, NOTED_MAX).map(keyOf);
  const fresh = kept.filter((key) => !known.has(key)).length;
  if (wants === 'morning') {
    const sent = needs.length + groups.length > 0;
    const dueInS = CLOCKS_DIFFER_S + untilMorning(nowMs + CLOCKS_DIFFER_S * 1_000, timeZone);
    return { sent, fresh, noted: kept, dueInS };
  }
  return { sent: fresh > 0, fresh, noted: kept, dueInS: fresh > 0 ? AFTER_NOTICE_S : LOOK_S };
}

/** Seconds until the first check after a person chose `wants`. Pure. */
export function firstLookInS(wants: NoticeWants, nowMs: number, timeZone: string): number {
  return wants === 'morning' ? untilMorning(nowMs, timeZone) : 0;
}

/** Seconds until the next attempt after so many failures in a row. Pure. */
export function retryInS(failures: number): number {
  return Math.min(LONGEST_RETRY_S, FIRST_RETRY_S * 2 ** Math.min(failures, 10));
}
