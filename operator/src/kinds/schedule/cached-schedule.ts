import type { ScheduleActivity } from '@hamlet/contract';
import { ScheduleSpec, ScheduleStatus } from '@hamlet/contract/kinds';
import { slim, type KubeObject } from '@hamlet/kube';
import { problemOf, type RawObject } from '../../objects/cached-objects.ts';

/** A Schedule as the operator caches it. Exactly one of `spec` and `problem` is set. */
export interface ScheduleView extends KubeObject {
  readonly spec: ScheduleSpec | undefined;
  /** The reason why the spec cannot be read. */
  readonly problem: string | undefined;
  readonly status: ScheduleStatus;
  readonly createdMs: number;
  /** The time of `status.lastSlot`. */
  readonly lastSlotMs: number | undefined;
}

/** The slots that this leader has decided; the status follows. */
export interface Decided {
  readonly timing: string;
  readonly suspended: boolean;
  /** Every slot up to this time is decided. */
  readonly untilMs: number;
  /** Slots given up since the Schedule was created. */
  readonly missed: number;
}

/** One Schedule and everything that its plan depends on, at one moment. */
export interface Observed {
  readonly schedule: ScheduleView;
  readonly decided: Decided | undefined;
  /** Its runs; undefined before the api has reported them. */
  readonly activity: ScheduleActivity | undefined;
  /** The newest slot that the api has claimed. */
  readonly claimedMs: number | undefined;
  /** Names of the Agents that a firing would reach now, sorted. */
  readonly agents: readonly string[];
  /** The api answers, and has reported the whole state. */
  readonly apiReachable: boolean;
}

/** Milliseconds since 1970; undefined for a missing or unreadable time. */
export const millis = (time: string | null | undefined): number | undefined =>
  Number.isNaN(Date.parse(time ?? '')) ? undefined : Date.parse(time ?? '');

/** A spec that cannot be read (of an older schema) becomes a problem, not an exception. */
export function scheduleView(raw: RawObject): ScheduleView {
  const { metadata } = slim(raw);
  const spec = ScheduleSpec.safeParse(raw.spec);
  const read = ScheduleStatus.safeParse(raw.status ?? {});
  const status = read.success ? read.data : {};
  return {
    metadata,
    spec: spec.data,
    problem: spec.success ? undefined : problemOf(spec.error),
    status,
    createdMs: millis(metadata.creationTimestamp) ?? 0,
    lastSlotMs: millis(status.lastSlot),
  };
}
