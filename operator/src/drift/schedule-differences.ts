import type { ScheduleActivity } from '@hamlet/contract';
import type { ScheduleView } from '../kinds/schedule/cached-schedule.ts';
import type { Difference } from './difference.ts';

export interface ScheduleSides {
  readonly schedule: ScheduleView;
  /** Undefined if the database has no firing of the Schedule. */
  readonly books: ScheduleActivity | undefined;
  readonly remembered: ScheduleActivity | undefined;
}

type Runs = Pick<ScheduleActivity, 'active_runs' | 'last_run_id'>;

const runsOf = (runs: Runs | undefined): string =>
  `${runs?.active_runs ?? 0} under way, the newest ${runs?.last_run_id ?? 'none'}`;

/** The runs shown by a status, without its newest run once the database has deleted that firing. */
function runsOfStatus({ activeRuns = 0, lastRunID }: ScheduleView['status'], books: Runs | undefined): Runs {
  const isKnown = books !== undefined && books.last_run_id !== null;
  return { active_runs: activeRuns, last_run_id: isKnown ? (lastRunID ?? null) : null };
}

/** Every fact of one Schedule on which the sides differ. Pure. */
export function scheduleDifferences({ schedule, books, remembered }: ScheduleSides): readonly Difference[] {
  const { metadata, status, lastSlotMs = 0 } = schedule;
  if (metadata.deletionTimestamp !== undefined) return [];
  const of = { kind: 'schedule', of: 'Schedule', name: metadata.name } as const;
  const database = runsOf(books);
  const sides = [
    { other: runsOf(remembered), against: 'operator' },
    { other: runsOf(runsOfStatus(status, books)), against: 'kubernetes' },
  ] as const;
  const runs = sides.flatMap((side) => (side.other === database ? [] : [{ ...of, fact: 'runs', database, ...side }]));
  const slot = books?.last_slot ?? undefined;
  if (slot === undefined || Date.parse(slot) <= lastSlotMs) return runs;
  const later = { database: `the slot ${slot}`, other: `${status.lastSlot ?? 'none'} in the status` };
  return [...runs, { ...of, fact: 'firings', ...later, against: 'kubernetes' }];
}
