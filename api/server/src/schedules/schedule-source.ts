import type { ScheduleChange, ScheduleSpec, ScheduleStatus } from '@hamlet/contract';
import type { OnConflict } from '../agents/agent-source.ts';
import type { Outcome } from '../http/outcome.ts';

/** A Schedule as its custom resource has it. */
export interface ScheduleRecord {
  readonly name: string;
  readonly uid: string;
  readonly createdAt: string;
  readonly spec: ScheduleSpec;
  readonly status: ScheduleStatus;
  /** Counts changes of the spec; left out where there is no cluster. */
  readonly generation?: number;
}

export interface SchedulePage {
  readonly schedules: readonly ScheduleRecord[];
  /** Where the next page begins, in the source's own words; null on the last. */
  readonly next: string | null;
}

/** Where schedules are kept: the cluster's custom resources, which is also who judges what may stand in them, or the samples of the tree. */
export interface ScheduleSource {
  /** By name. */
  list(page: { readonly cursor?: string | undefined; readonly limit: number }): Promise<Outcome<SchedulePage>>;
  get(name: string): Promise<ScheduleRecord | null>;
  create(name: string, spec: ScheduleChange): Promise<Outcome<ScheduleRecord>>;
  change(name: string, change: ScheduleChange, onConflict: OnConflict): Promise<Outcome<ScheduleRecord>>;
  remove(name: string): Promise<Outcome<{ readonly uid: string; readonly generation: number }>>;
}
