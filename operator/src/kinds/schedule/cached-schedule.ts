import type { ScheduleActivity } from '@hamlet/contract';
import { ScheduleSpec, ScheduleStatus } from '@hamlet/contract/kinds';
import { slim, type KubeObject } from '@hamlet/kube';
import { problemOf, type RawObject } from '../../objects/cached-objects.ts';

export interface ScheduleView extends KubeObject {
  readonly spec: ScheduleSpec | undefined;
  readonly problem: string | undefined;
  readonly status: ScheduleStatus;
  readonly createdMs: number;
  readonly lastSlotMs: number | undefined;
}

/** The slots that this leader has decided and writes to the status later. */
export interface Decided {
  readonly timing: string;
  readonly suspended: boolean;
  /** Milliseconds since 1970. Every slot up to this time is decided. */
  readonly untilMs: number;
  readonly missed: number;
}

/** One Schedule and everything that its plan depends on, at one moment. */
export interface Observed {
  readonly schedule: ScheduleView;
  readonly decided: Decided | undefined;
  readonly activity: ScheduleActivity | undefined;
  /** The newest slot that the api has claimed. */
  readonly claimedMs: number | undefined;
  readonly agents: readonly string[];
  /** True if the api is reachable and has reported the whole state. */
  readonly apiReachable: boolean;
}

/** Milliseconds since 1970; undefined for a missing or invalid time. */
export const millis = (time: string | null | undefined): number | undefined =>
  Number.isNaN(Date.parse(time ?? '')) ? undefined : Date.parse(time ?? '');

/** The cached form of a Schedule. A spec that the operator cannot parse becomes a `problem`, not an exception. */
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
