import type {
  Boost as BoostWire,
  Presence as PresenceWire,
  ScheduleActivity,
  Standing as StandingWire,
} from '@hamlet/contract';
import type { Boost, Presence, Standing } from '../kinds/agent/views.ts';
import type { ScheduleFacts } from '../kinds/schedule/observe.ts';

/** A standing of the api in the words of the operator. Pure, as all of these. */
export function standingFacts(data: StandingWire): Standing {
  return {
    quarantined: data.quarantined,
    frozen: data.frozen,
    banned: data.banned,
    killed: data.killed,
    tokenRevoked: data.token_revoked,
    balanceTier: data.balance_tier ?? undefined,
    reason: data.reason ?? undefined,
  };
}

export function presenceFacts(data: PresenceWire): Presence {
  return { uid: data.uid, cycle: data.cycle, connected: data.connected, lastSeen: data.last_seen };
}

export function boostFacts({ priority, gpu }: BoostWire): Boost {
  return { priority, gpu: gpu === null ? undefined : { resourceName: gpu.resource_name, count: gpu.count } };
}

export function scheduleFacts(data: ScheduleActivity): ScheduleFacts {
  return {
    activeRuns: data.active_runs,
    ...(data.last_run_id === null ? {} : { lastRunId: data.last_run_id }),
    ...(data.last_run_at === null ? {} : { lastRunAt: data.last_run_at }),
    ...(data.last_slot === null ? {} : { lastSlot: data.last_slot }),
  };
}
