import type { ScheduleSpec } from '@hamlet/contract/kinds';
import { countSlots, newestSlotsBetween, nextSlots, slotAtOrBefore, slotsBetween } from './slots.ts';
import type { Timetable } from './timetable.ts';

/**
 * A slot that is at most this late always fires: a change of the leader, a restart of the API or a clock that goes
 * wrong costs none. (The deadline of the Schedule is kept where it is shorter.)
 */
export const ALWAYS_IN_TIME_MS = 30_000;

export type MissedRunsPolicy = Pick<
  ScheduleSpec,
  'missedRuns' | 'catchUpLimit' | 'startingDeadlineSeconds' | 'suspend'
>;

export interface DueInput {
  readonly timetable: Timetable;
  readonly policy: MissedRunsPolicy;
  /** Every slot up to here is decided already. */
  readonly decidedMs: number;
  readonly nowMs: number;
}

/** A slot to fire. `madeUp`: it was missed, and the policy asks for it all the same. */
export interface DueSlot {
  readonly slotMs: number;
  readonly madeUp: boolean;
}

/** Slots that are given up, all of them before the first that fires. */
export interface MissedSlots {
  readonly count: number;
  /** The newest of them. */
  readonly untilMs: number;
}

export interface DuePlan {
  /** In this order, oldest first. */
  readonly fire: readonly DueSlot[];
  readonly missed: MissedSlots | undefined;
  /** When to look again; undefined if nothing comes. */
  readonly lookAtMs: number | undefined;
}

/** The slots that are late at most, by the rule of {@link duePlan}. */
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

/** The missed slots before `beforeMs` that are made up for. */
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
 * Due slots of a Schedule.
 * A slot fires while it is at most 30 s late, and the newest one until its deadline. Every other slot is missed. Skip makes up for none
 * of the missed ones; RunOnce fires the newest, if nothing else fires now; CatchUp fires the newest `catchUpLimit`, oldest first. Nothing is
 * due of a suspended Schedule.
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

/** Known past of a Schedule. */
export interface Past {
  /** Timing text of the last look; undefined at the first. */
  readonly timing: string | undefined;
  /** Whether it was suspended then. */
  readonly suspended: boolean;
  /** The newest slot that is decided. */
  readonly lastSlotMs: number | undefined;
  readonly createdMs: number;
}

/**
 * Time up to which every slot is decided. A Schedule begins when it is created, when its timing changes, and when it is resumed: earlier
 * slots were never due.
 */
export function decidedUntil(
  past: Past,
  { timing, nowMs }: { readonly timing: string; readonly nowMs: number },
): number {
  if (past.timing === undefined) return past.lastSlotMs ?? past.createdMs;
  if (past.timing !== timing || past.suspended) return Math.max(nowMs, past.lastSlotMs ?? nowMs);
  return past.lastSlotMs ?? past.createdMs;
}
