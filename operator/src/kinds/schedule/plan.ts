import type { DueSlot, MissedSlots } from '@hamlet/core/schedule';
import { decidedUntil, describeTiming, duePlan, readTiming } from '@hamlet/core/schedule';
import { conditionIn } from '../../status/condition.ts';
import type { Decided, Observed } from './cached-schedule.ts';

/** The maximum timer. Longer waits are split, because timers of more than 24 days overflow and clocks drift. */
const MAX_LOOK_MS = 3_600_000;

export interface GivenUp extends MissedSlots {
  readonly reason: 'FiringsMissed' | 'NoAgent';
}

/** The plan of one Schedule: give up slots, then fire slots, then plan again at `lookAtMs`. */
export interface Plan {
  /** The decisions before this plan is applied; undefined if the Schedule cannot fire at all. */
  readonly decided: Decided | undefined;
  readonly giveUp: GivenUp | undefined;
  readonly fire: readonly DueSlot[];
  readonly lookAtMs: number | undefined;
}

const NOTHING: Plan = { decided: undefined, giveUp: undefined, fire: [], lookAtMs: undefined };

/**
 * The slots that are already decided, by this leader's memory or otherwise by the status. They include the newest slot that the
 * api has claimed, because an earlier leader may have ended before it wrote the status.
 */
function decidedOf(
  { schedule, decided, claimedMs }: Observed,
  timing: string,
  { nowMs, suspended }: { readonly nowMs: number; readonly suspended: boolean },
): Decided {
  const { status, createdMs, lastSlotMs } = schedule;
  const published = {
    timing: status.timing,
    suspended: conditionIn(status, 'Suspended')?.status === 'True',
    lastSlotMs,
    createdMs,
  };
  const past =
    decided === undefined
      ? published
      : { timing: decided.timing, suspended: decided.suspended, lastSlotMs: decided.untilMs, createdMs };
  const untilMs = Math.max(decidedUntil(past, { timing, nowMs }), claimedMs ?? Number.NEGATIVE_INFINITY);
  return { timing, suspended, untilMs, missed: decided?.missed ?? status.missed ?? 0 };
}

/** If the Schedule selects no Agent, the operator gives up all due slots and never makes up for them. */
function withoutAgents(due: readonly DueSlot[], missed: MissedSlots | undefined): GivenUp | undefined {
  const newest = due.at(-1)?.slotMs ?? missed?.untilMs;
  return newest === undefined
    ? undefined
    : { reason: 'NoAgent', count: due.length + (missed?.count ?? 0), untilMs: newest };
}

/** Plans one Schedule based only on the state; `nowMs` is in milliseconds since 1970, by the database's clock. */
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
  // Slots that cannot fire now stay undecided. Once the api answers, their age decides whether they fire.
  if (!observed.apiReachable) return { decided, giveUp: undefined, fire: [], lookAtMs };
  if (observed.agents.length === 0) return { decided, giveUp: withoutAgents(fire, missed), fire: [], lookAtMs };
  return { decided, giveUp: missed === undefined ? undefined : { ...missed, reason: 'FiringsMissed' }, fire, lookAtMs };
}
