import { LAST_FIRINGS_SHOWN, type ScheduleView } from '@hamlet/contract';
import { lockResource, noteResource, noteResourceGone, noteScheduleAuthor, readLastFirings } from '@hamlet/store';
import type { Db, Tx } from '@hamlet/store';
import { inTx, plain, type Caller, type Handlers } from '../http/handler.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import { recordAct } from '../audit/record-act.ts';
import type { ScheduleRecord, ScheduleSource } from './schedule-source.ts';
import { isOwnSchedule, scheduleView, veiledSchedule } from './schedule-view.ts';
import type { AgentSource } from '../agents/agent-source.ts';
import type { Actor } from '../http/actor.ts';

export interface SchedulePorts {
  readonly db: Db;
  readonly schedules: ScheduleSource;
  readonly source: Pick<AgentSource, 'get'>;
}

interface Act<T> {
  readonly object: string;
  readonly verb: 'create' | 'change' | 'delete';
  readonly write: () => Promise<Outcome<T>>;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Writes a Schedule and its audit row under its lock, so that the watch adds no second row. The caller becomes the Schedule's author. */
async function act<T extends { readonly uid: string; readonly generation?: number }>(
  tx: Tx,
  asked: Caller,
  { object, verb, write, more }: Act<T>,
): Promise<Outcome<T>> {
  await lockResource(tx, 'Schedule', object);
  const outcome = await write();
  if (!outcome.ok) return outcome;
  const { uid, generation = 0 } = outcome.data;
  const { actor } = asked;
  await noteResource(tx, { uid, kind: 'Schedule', name: object, generation });
  if ('accountId' in actor && actor.accountId !== null) await noteScheduleAuthor(tx, uid, actor.accountId);
  await recordAct(tx, asked, { action: `schedule.${verb}`, object, detail: { uid, ...more } });
  return outcome;
}

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

/** True if the Schedule exists for the reader: an agent reads its own alone. */
function isFor(actor: Actor, source: SchedulePorts['source']): (record: ScheduleRecord) => boolean {
  if (actor.role !== 'agent') return () => true;
  const agent = source.get(actor.agentId);
  return (record) => agent !== null && isOwnSchedule(record, agent);
}

/** Schedules with their prompts for admins and for the agent, and without them for members. */
function shownTo({ role }: Actor): (schedule: ScheduleView) => ScheduleView {
  return role === 'member' ? veiledSchedule : (schedule) => schedule;
}

export function scheduleHandlers({ db, schedules, source }: SchedulePorts) {
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
    createSchedule: inTx(async (request, tx) => {
      const { name, ...spec } = request.body;
      const made = await act(tx, request, {
        object: name,
        verb: 'create',
        write: () => schedules.create(name, spec),
        more: { spec },
      });
      return made.ok ? accepted(await view(db, made.data)) : made;
    }),
    changeSchedule: inTx(async (request, tx) => {
      const { name } = request.params;
      const change = request.body;
      const changed = await act(tx, request, {
        object: name,
        verb: 'change',
        write: () => schedules.change(name, change, request.query.on_conflict),
        more: { change },
      });
      return changed.ok ? accepted(await view(db, changed.data)) : changed;
    }),
    deleteSchedule: inTx(async (request, tx) => {
      const { name } = request.params;
      const gone = await act(tx, request, { object: name, verb: 'delete', write: () => schedules.remove(name) });
      if (!gone.ok) return gone;
      await noteResourceGone(tx, gone.data.uid);
      return accepted({ name, deleted: true as const });
    }),
  } satisfies Partial<Handlers>;
}
