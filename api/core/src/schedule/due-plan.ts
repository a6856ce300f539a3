import type { ScheduleSpec } from '@hamlet/contract/kinds';
import { countSlots, newestSlotsBetween, nextSlots, slotAtOrBefore, slotsBetween } from './slots.ts';
import type { Timetable } from './timetable.ts';

/**
 * A slot up to this many milliseconds late still fires, so that a new leader, a restart or a wrong clock loses none. A
 * shorter deadline wins.
 */
const ALWAYS_IN_TIME_MS = 30_000;

export type MissedRunsPolicy = Pick<
  ScheduleSpec,
  'missedRuns' | 'catchUpLimit' | 'startingDeadlineSeconds' | 'suspend'
>;

interface DueInput {
  readonly timetable: Timetable;
  readonly policy: MissedRunsPolicy;
  /** Every slot up to this time is decided. */
  readonly decidedMs: number;
  readonly nowMs: number;
}

/** `madeUp`: the slot was missed, and the policy fires it now. */
export interface DueSlot {
  readonly slotMs: number;
  readonly madeUp: boolean;
}

/** Missed slots that will not fire. They are before the first slot that fires. */
export interface MissedSlots {
  readonly count: number;
  readonly untilMs: number;
}

export interface DuePlan {
  /** Oldest first. */
  readonly fire: readonly DueSlot[];
  readonly missed: MissedSlots | undefined;
  /** Time of the next slot; the caller plans again at this time. */
  readonly lookAtMs: number | undefined;
}

/** The slots that are not missed. */
function inTime({ timetable, policy, decidedMs, nowMs }: DueInput): readonly number[] {
  const deadlineMs = policy.startingDeadlineSeconds * 1_000;
  const alwaysFromMs = nowMs - Math.min(ALWAYS_IN_TIME_MS, deadlineMs);
  const young = slotsBetween(
    timetable,
    { afterMs: Math.max(decidedMs, alwaysFromMs - 1), untilMs: nowMs },
    Number.MAX_SAFE_INTEGER,
  );
  if (young.length > 0) return young;
  const newest = newestSlotsBetween(timetable, { afterMs: decidedMs, untilMs: nowMs }, 1);
  return newest.filter((slot) => nowMs - slot <= deadlineMs);
}

/** `othersFire`: other slots fire on time. */
function madeUpFor(
  { timetable, policy, decidedMs }: DueInput,
  beforeMs: number,
  othersFire: boolean,
): readonly number[] {
  const missed = { afterMs: decidedMs, untilMs: beforeMs - 1 };
  switch (policy.missedRuns) {
    case 'Skip':
      return [];
    case 'RunOnce':
      return othersFire ? [] : newestSlotsBetween(timetable, missed, 1);
    case 'CatchUp':
      return newestSlotsBetween(timetable, missed, policy.catchUpLimit);
    default:
      return policy.missedRuns satisfies never;
  }
}

/**
 * A slot fires while it is at most 30 s late, and the newest one until its deadline. Every other slot is missed. Skip
 * fires no missed slot. RunOnce fires the newest if no other slot fires now. CatchUp fires the newest `catchUpLimit`
 * missed slots, oldest first. Pure.
 */
export function duePlan(input: DueInput): DuePlan {
  const { timetable, policy, decidedMs, nowMs } = input;
  if (policy.suspend) return { fire: [], missed: undefined, lookAtMs: undefined };
  const young = inTime(input);
  const madeUp = madeUpFor(input, young[0] ?? nowMs + 1, young.length > 0);
  const fire = [
    ...madeUp.map((slotMs) => ({ slotMs, madeUp: true })),
    ...young.map((slotMs) => ({ slotMs, madeUp: false })),
  ];
  return {
    fire,
    missed: givenUp(input, (fire[0]?.slotMs ?? nowMs + 1) - 1),
    lookAtMs: nextSlots(timetable, Math.max(nowMs, decidedMs), 1)[0],
  };
}

function givenUp({ timetable, decidedMs }: DueInput, untilMs: number): MissedSlots | undefined {
  const count = countSlots(timetable, { afterMs: decidedMs, untilMs });
  const newest = count === 0 ? undefined : slotAtOrBefore(timetable, untilMs);
  return newest === undefined ? undefined : { count, untilMs: newest };
}

export interface Past {
  /** Undefined before the first plan. */
  readonly timing: string | undefined;
  /** At the last plan. */
  readonly suspended: boolean;
  readonly lastSlotMs: number | undefined;
  readonly createdMs: number;
}

/** Slots count from the creation, a change of the timing or a resumption: earlier ones are never due. */
export function decidedUntil(
  past: Past,
  { timing, nowMs }: { readonly timing: string; readonly nowMs: number },
): number {
  if (past.timing === undefined) return past.lastSlotMs ?? past.createdMs;
  if (past.timing !== timing || past.suspended) return Math.max(nowMs, past.lastSlotMs ?? nowMs);
  return past.lastSlotMs ?? past.createdMs;
}
