import {
  decidedUntil,
  describeTiming,
  duePlan,
  readTiming,
  type DueSlot,
  type MissedSlots,
} from '@hamlet/core/schedule';
import type { Decided, Observed } from './views.ts';

/** Timers are set anew at least this often: longer ones than 24 days overflow, and clocks drift. */
const MAX_LOOK_MS = 3_600_000;

/** Slots that are given up, and why. */
export interface GivenUp extends MissedSlots {
  readonly reason: 'FiringsMissed' | 'NoAgent';
}

/** What to do about one Schedule: give up, then fire, then look again. */
export interface Plan {
  /** What is decided before anything of this plan is done; undefined where nothing can be decided. */
  readonly decided: Decided | undefined;
  readonly giveUp: GivenUp | undefined;
  readonly fire: readonly DueSlot[];
  readonly lookAtMs: number | undefined;
}

const NOTHING: Plan = { decided: undefined, giveUp: undefined, fire: [], lookAtMs: undefined };

/**
 * From where a Schedule is decided: what this leader knows, or else what the status says; and never before the newest
 * slot that the api has claimed, which an earlier leader may not have lived to write down.
 */
function decidedOf(
  { schedule, decided, activity }: Observed,
  timing: string,
  { nowMs, suspended }: { readonly nowMs: number; readonly suspended: boolean },
): Decided {
  const { status, createdMs, lastSlotMs } = schedule;
  const told = {
    timing: status.timing,
    suspended: status.conditions?.some(({ type, status: value }) => type === 'Suspended' && value === 'True') === true,
    lastSlotMs,
    createdMs,
  };
  const past =
    decided === undefined
      ? told
      : { timing: decided.timing, suspended: decided.suspended, lastSlotMs: decided.untilMs, createdMs };
  const untilMs = Math.max(decidedUntil(past, { timing, nowMs }), activity?.lastSlotMs ?? Number.NEGATIVE_INFINITY);
  return { timing, suspended, untilMs, missed: decided?.missed ?? status.missed ?? 0 };
}

/** With nobody to tell, what is due is given up: it is not made up for when somebody comes. */
function withoutAgents(due: readonly DueSlot[], missed: MissedSlots | undefined): GivenUp | undefined {
  const newest = due.at(-1)?.slotMs ?? missed?.untilMs;
  return newest === undefined
    ? undefined
    : { reason: 'NoAgent', count: due.length + (missed?.count ?? 0), untilMs: newest };
}

/**
 * What is to be done, from the state alone.
 * @param nowMs by the clock of the village
 */
export function plan(observed: Observed, nowMs: number): Plan {
  const { spec, metadata } = observed.schedule;
  if (spec === undefined || metadata.deletionTimestamp !== undefined) return NOTHING;
  const reading = readTiming(spec);
  if (!reading.ok) return NOTHING;
  const decided = decidedOf(observed, describeTiming(spec), { nowMs, suspended: spec.suspend });
  const {
    fire,
    missed,
    lookAtMs: nextMs,
  } = duePlan({ timetable: reading.timetable, policy: spec, decidedMs: decided.untilMs, nowMs });
  const lookAtMs = nextMs === undefined ? undefined : Math.min(nextMs, nowMs + MAX_LOOK_MS);
  // What cannot be fired now is not decided now: it is judged by its age when the api is back.
  if (!observed.apiReachable) return { decided, giveUp: undefined, fire: [], lookAtMs };
  if (observed.agents.length === 0) return { decided, giveUp: withoutAgents(fire, missed), fire: [], lookAtMs };
  return { decided, giveUp: missed === undefined ? undefined : { ...missed, reason: 'FiringsMissed' }, fire, lookAtMs };
}
