import type { ScheduleFacts } from '../kinds/schedule/observe.ts';
import type { ScheduleView } from '../kinds/schedule/views.ts';
import type { Difference } from './difference.ts';

export interface ScheduleSides {
  readonly schedule: ScheduleView;
  /** Undefined where the database knows of no firing. */
  readonly books: ScheduleFacts | undefined;
  /** What the api's stream said to this operator. */
  readonly heard: ScheduleFacts | undefined;
}

type Found = Omit<Difference, 'of' | 'name' | 'kind'>;

const runsOf = (facts: ScheduleFacts | undefined): string =>
  `${facts?.activeRuns ?? 0} under way, the newest ${facts?.lastRunId ?? 'none'}`;

function entry(fact: string, { database, other, against }: Omit<Found, 'fact'>): readonly Found[] {
  return database === other ? [] : [{ fact, database, other, against }];
}

/** The newest run of a status counts only where the database knows one: a status keeps it after the database has forgotten the firing. */
function runsOfStatus(
  { activeRuns = 0, lastRunID }: ScheduleView['status'],
  books: ScheduleFacts | undefined,
): ScheduleFacts {
  return lastRunID === undefined || books?.lastRunId === undefined
    ? { activeRuns }
    : { activeRuns, lastRunId: lastRunID };
}

/** A slot that fired after the last one of the status. */
function unseenSlot({ status, lastSlotMs = 0 }: ScheduleView, books: ScheduleFacts | undefined): readonly Found[] {
  const slot = books?.lastSlot;
  if (slot === undefined || Date.parse(slot) <= lastSlotMs) return [];
  return [
    {
      fact: 'firings',
      database: `the slot ${slot}`,
      other: `${status.lastSlot ?? 'none'} in the status`,
      against: 'kubernetes',
    },
  ];
}

/** Every fact of one Schedule of which the sides say something else. Pure. */
export function scheduleDifferences({ schedule, books, heard }: ScheduleSides): readonly Difference[] {
  const { metadata, status } = schedule;
  if (metadata.deletionTimestamp !== undefined) return [];
  const database = runsOf(books);
  const found = [
    ...entry('runs', { database, other: runsOf(heard), against: 'operator' }),
    ...entry('runs', { database, other: runsOf(runsOfStatus(status, books)), against: 'kubernetes' }),
    ...unseenSlot(schedule, books),
  ];
  return found.map((each) => ({ ...each, kind: 'schedule', of: 'Schedule', name: metadata.name }));
}
