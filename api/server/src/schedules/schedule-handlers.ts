import { randomUUID } from 'node:crypto';
import { LAST_FIRINGS_SHOWN } from '@hamlet/contract';
import type { ScheduleView } from '@hamlet/contract';
import { readLastFirings, recordAudit } from '@hamlet/store';
import type { Tx } from '@hamlet/store';
import type { Actor } from '../http/actor.ts';
import type { Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import type { Services } from '../routes/services.ts';
import type { ScheduleRecord } from './schedule-source.ts';
import { scheduleView } from './schedule-view.ts';

type Names = 'listSchedules' | 'getSchedule' | 'createSchedule' | 'changeSchedule' | 'deleteSchedule';

interface Asked {
  readonly actor: Actor;
  readonly requestId: string;
  readonly traceparent: string;
}

async function audit(tx: Tx, { actor, requestId, traceparent }: Asked, act: { readonly action: string; readonly object: string; readonly detail: unknown }): Promise<void> {
  await recordAudit(tx, { auditId: randomUUID(), actorRole: actor.role, actorId: actor.id, ...act, requestId, traceparent });
}

/** Schedules: what the cluster keeps of them, with their firings. */
export function scheduleHandlers({ db, schedules }: Services): Pick<Handlers, Names> {
  async function views(records: readonly ScheduleRecord[]): Promise<ScheduleView[]> {
    const firings = await readLastFirings(db, records.map(({ uid }) => uid), LAST_FIRINGS_SHOWN);
    return records.map((record) => scheduleView(record, firings.get(record.uid) ?? []));
  }
  async function view(record: ScheduleRecord): Promise<{ schedule: ScheduleView }> {
    const [schedule] = await views([record]);
    return { schedule: schedule ?? scheduleView(record, []) };
  }

  return {
    listSchedules: {
      kind: 'plain',
      run: async ({ query }) => {
        const page = await schedules.list(query);
        return page.ok ? accepted({ schedules: await views(page.data.schedules), next_cursor: page.data.next }) : page;
      },
    },
    getSchedule: {
      kind: 'plain',
      run: async ({ params }) => {
        const record = await schedules.get(params.name);
        return record === null ? refused('no_such_schedule', `There is no schedule ${params.name}`) : accepted(await view(record));
      },
    },
    createSchedule: {
      kind: 'tx',
      run: async (request, tx) => {
        const { name, ...spec } = request.body;
        const outcome = await schedules.create(name, spec);
        if (!outcome.ok) return outcome;
        await audit(tx, request, { action: 'schedule.create', object: name, detail: { uid: outcome.data.uid, spec } });
        return accepted(await view(outcome.data));
      },
    },
    changeSchedule: {
      kind: 'tx',
      run: async (request, tx) => {
        const { name } = request.params;
        const outcome = await schedules.change(name, request.body, request.query.on_conflict);
        if (!outcome.ok) return outcome;
        await audit(tx, request, { action: 'schedule.change', object: name, detail: { uid: outcome.data.uid, change: request.body } });
        return accepted(await view(outcome.data));
      },
    },
    deleteSchedule: {
      kind: 'tx',
      run: async (request, tx) => {
        const { name } = request.params;
        const outcome = await schedules.remove(name);
        if (!outcome.ok) return outcome;
        await audit(tx, request, { action: 'schedule.delete', object: name, detail: outcome.data });
        return accepted({ name, deleted: true as const });
      },
    },
  };
}
