import { LAST_FIRINGS_SHOWN } from '@hamlet/contract';
import type { ScheduleView } from '@hamlet/contract';
import { holdResource, noteResource, noteResourceGone, noteScheduleAuthor, readLastFirings } from '@hamlet/store';
import type { Tx } from '@hamlet/store';
import type { Actor } from '../http/actor.ts';
import type { Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import { recordAct } from '../audit/record-act.ts';
import type { Services } from '../routes/services.ts';
import type { ScheduleRecord } from './schedule-source.ts';
import { scheduleView } from './schedule-view.ts';

type Names = 'listSchedules' | 'getSchedule' | 'createSchedule' | 'changeSchedule' | 'deleteSchedule';

interface Asked {
  readonly actor: Actor;
  readonly requestId: string;
  readonly traceparent: string;
}

interface Act {
  readonly object: string;
  readonly verb: 'create' | 'change' | 'delete';
  readonly written: { readonly uid: string; readonly generation?: number };
  readonly more?: Readonly<Record<string, unknown>>;
}

/** The line of a write in the audit, in place of the one that the watch of the cluster would write; and whose schedule it is from now on. */
async function note(tx: Tx, asked: Asked, { object, verb, written, more }: Act): Promise<void> {
  const { uid, generation = 0 } = written;
  const { actor } = asked;
  await noteResource(tx, { uid, kind: 'Schedule', name: object, generation });
  if ('accountId' in actor && actor.accountId !== null) await noteScheduleAuthor(tx, uid, actor.accountId);
  await recordAct(tx, asked, { action: `schedule.${verb}`, object, detail: { uid, ...more } });
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
        await holdResource(tx, 'Schedule', name);
        const outcome = await schedules.create(name, spec);
        if (!outcome.ok) return outcome;
        await note(tx, request, { object: name, verb: 'create', written: outcome.data, more: { spec } });
        return accepted(await view(outcome.data));
      },
    },
    changeSchedule: {
      kind: 'tx',
      run: async (request, tx) => {
        const { name } = request.params;
        await holdResource(tx, 'Schedule', name);
        const outcome = await schedules.change(name, request.body, request.query.on_conflict);
        if (!outcome.ok) return outcome;
        await note(tx, request, { object: name, verb: 'change', written: outcome.data, more: { change: request.body } });
        return accepted(await view(outcome.data));
      },
    },
    deleteSchedule: {
      kind: 'tx',
      run: async (request, tx) => {
        const { name } = request.params;
        await holdResource(tx, 'Schedule', name);
        const outcome = await schedules.remove(name);
        if (!outcome.ok) return outcome;
        await note(tx, request, { object: name, verb: 'delete', written: outcome.data });
        await noteResourceGone(tx, outcome.data.uid);
        return accepted({ name, deleted: true as const });
      },
    },
  };
}
