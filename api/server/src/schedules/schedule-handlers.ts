import { LAST_FIRINGS_SHOWN, type ScheduleView } from '@hamlet/contract';
import { readLastFirings, type Db } from '@hamlet/store';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import { deletionOf, inCluster } from '../resource-writes/write-cluster.ts';
import { createOnce, writtenOf } from './create-schedule.ts';
import type { ScheduleRecord } from './schedule-source.ts';
import { isOwnSchedule, scheduleView, veiledSchedule } from './schedule-view.ts';
import type { Actor } from '../http/actor.ts';
import type { Village } from '../village.ts';

async function views(db: Db, records: readonly ScheduleRecord[]): Promise<ScheduleView[]> {
  const firings = await readLastFirings(
    db,
    records.map(({ uid }) => uid),
    LAST_FIRINGS_SHOWN,
  );
  return records.map((record) => scheduleView(record, firings.get(record.uid) ?? []));
}

async function view(db: Db, record: ScheduleRecord): Promise<{ schedule: ScheduleView }> {
  const [schedule] = await views(db, [record]);
  return { schedule: schedule ?? scheduleView(record, []) };
}

function isFor(actor: Actor, source: Village['source']): (record: ScheduleRecord) => boolean {
  if (actor.role !== 'agent') return () => true;
  const agent = source.get(actor.agentId);
  return (record) => agent !== null && isOwnSchedule(record, agent);
}

function shownTo({ role }: Actor): (schedule: ScheduleView) => ScheduleView {
  return role === 'member' ? veiledSchedule : (schedule) => schedule;
}

export function scheduleHandlers({ db, schedules, source }: Village) {
  return {
    listSchedules: plain(async ({ query, actor }) => {
      const page = await schedules.list(query);
      if (!page.ok) return page;
      const shown = await views(db, page.data.schedules.filter(isFor(actor, source)));
      return accepted({ schedules: shown.map(shownTo(actor)), next_cursor: page.data.next });
    }),
    getSchedule: plain(async ({ params, actor }) => {
      const record = await schedules.get(params.name);
      if (record === null || !isFor(actor, source)(record))
        return refused('no_such_schedule', `There is no schedule ${params.name}`);
      const { schedule } = await view(db, record);
      return accepted({ schedule: shownTo(actor)(schedule) });
    }),
    createSchedule: inCluster(db, ({ body: { name, ...spec } }) =>
      accepted({
        kind: 'Schedule',
        name,
        action: 'schedule.create',
        write: async ({ writeId, resumed }) =>
          writtenOf(await createOnce(schedules, { name, spec, origin: { id: writeId, proposedBy: null }, resumed })),
        detail: ({ uid }) => ({ uid, spec }),
        answer: async (record: ScheduleRecord) => accepted(await view(db, record)),
      }),
    ),
    changeSchedule: inCluster(db, ({ params: { name }, query, body: change }) =>
      accepted({
        kind: 'Schedule',
        name,
        action: 'schedule.change',
        write: async () => writtenOf(await schedules.change(name, change, query.on_conflict)),
        detail: ({ uid }) => ({ uid, change }),
        answer: async (record: ScheduleRecord) => accepted(await view(db, record)),
      }),
    ),
    deleteSchedule: inCluster(db, ({ params: { name } }) =>
      accepted({
        kind: 'Schedule',
        name,
        action: 'schedule.delete',
        write: async ({ resumed }) => deletionOf(db, { kind: 'Schedule', name, resumed }, await schedules.remove(name)),
        detail: ({ uid }) => ({ uid }),
        answer: () => accepted({ name, deleted: true as const }),
      }),
    ),
  } satisfies Partial<Handlers>;
}
