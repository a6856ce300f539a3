import type { ScheduleChange } from '@hamlet/contract';
import { accepted, type Outcome } from '../http/outcome.ts';
import { UnavailableError } from '../http/respond.ts';
import type { WrittenObject } from '../resource-writes/write-cluster.ts';
import type { Origin, ScheduleRecord, ScheduleSource } from './schedule-source.ts';

interface WantedSchedule {
  readonly name: string;
  readonly spec: ScheduleChange;
  readonly origin: Origin;
  readonly resumed: boolean;
}

export async function createOnce(
  schedules: Pick<ScheduleSource, 'create' | 'get'>,
  { name, spec, origin, resumed }: WantedSchedule,
): Promise<Outcome<ScheduleRecord>> {
  const made = await schedules.create(name, spec, origin);
  if (made.ok || made.reason !== 'schedule_exists' || !resumed) return made;
  const found = await schedules.get(name);
  if (found === null) throw new UnavailableError('The Schedule is being deleted; try again');
  return found.origin === origin.id ? accepted(found) : made;
}

export function writtenOf(outcome: Outcome<ScheduleRecord>): Outcome<WrittenObject<ScheduleRecord>> {
  if (!outcome.ok) return outcome;
  const { uid, generation } = outcome.data;
  return accepted({ data: outcome.data, uid, generation, changed: true });
}
