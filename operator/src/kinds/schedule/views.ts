import { GROUP, VERSION, type ScheduleSpec, type ScheduleStatus } from '@hamlet/contract/kinds';
import type { KubeObject, ResourceType } from '@hamlet/kube';

export const SCHEDULES: ResourceType = { group: GROUP, version: VERSION, plural: 'schedules', kind: 'Schedule' };

/** A Schedule as the operator keeps it. Exactly one of `spec` and `problem` is there. */
export interface ScheduleView extends KubeObject {
  readonly spec: ScheduleSpec | undefined;
  /** Why the spec cannot be read. */
  readonly problem: string | undefined;
  readonly status: ScheduleStatus;
  readonly createdMs: number;
  /** Of `status.lastSlot`. */
  readonly lastSlotMs: number | undefined;
}

/** How the runs of a Schedule stand, as the api says. */
export interface Activity {
  readonly activeRuns: number;
  readonly lastRunId?: string | undefined;
  readonly lastRunAt?: string | undefined;
  /** The newest slot that was claimed. */
  readonly lastSlotMs?: number | undefined;
}

/** What this leader has decided; its status follows. */
export interface Decided {
  readonly timing: string;
  readonly suspended: boolean;
  /** Every slot up to here. */
  readonly untilMs: number;
  /** Slots given up since the Schedule was made. */
  readonly missed: number;
}

/** All that counts for one Schedule, at one moment. */
export interface Observed {
  readonly schedule: ScheduleView;
  readonly decided: Decided | undefined;
  /** Undefined where the api was not heard yet. */
  readonly activity: Activity | undefined;
  /** Names of the Agents that a firing would reach now, sorted. */
  readonly agents: readonly string[];
  /** Whether the api answers and has said all that holds. */
  readonly apiReachable: boolean;
}
