import { createHash } from 'node:crypto';
import type { createSchedule, ScheduleChange } from '@hamlet/contract';
import {
  findSeenResource,
  inTransaction,
  isResourceGone,
  lockResource,
  noteResource,
  noteScheduleApprover,
} from '@hamlet/store';
import type { Db, Tx } from '@hamlet/store';
import { recordAct } from '../audit/record-act.ts';
import type { Answered, ClusterHandler, RequestOf } from '../http/handler.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import { UnavailableError } from '../http/respond.ts';
import type { Proposal, ScheduleRecord, ScheduleSource } from './schedule-source.ts';
import { scheduleView } from './schedule-view.ts';

export interface ProposalPorts {
  readonly db: Db;
  readonly schedules: Pick<ScheduleSource, 'create' | 'get'>;
}

type Asked = RequestOf<typeof createSchedule>;

/** 48 bits tell the proposals of an agent apart. */
const HASH_CHARS = 12;

/** The name of a proposed Schedule: the same for all attempts of one call. Pure. */
function proposedName(wanted: string, key: string): string {
  return `${wanted}-${createHash('sha256').update(key).digest('hex').slice(0, HASH_CHARS)}`;
}

interface Wanted {
  readonly name: string;
  readonly spec: ScheduleChange;
  readonly proposal: Proposal;
}

/** Creates the Schedule, or finds it if an earlier attempt of the call has created it. */
async function createOnce(
  schedules: ProposalPorts['schedules'],
  { name, spec, proposal }: Wanted,
): Promise<{ readonly record: Outcome<ScheduleRecord>; readonly replayed: boolean }> {
  const made = await schedules.create(name, spec, proposal);
  if (made.ok || made.reason !== 'schedule_exists') return { record: made, replayed: false };
  const found = await schedules.get(name);
  if (found === null) throw new UnavailableError('The Schedule is being deleted right now; try again');
  return found.proposedIn === proposal.call
    ? { record: accepted(found), replayed: true }
    : { record: made, replayed: false };
}

async function propose(
  tx: Tx,
  request: Asked,
  { schedules, key }: Pick<ProposalPorts, 'schedules'> & { readonly key: string },
): Promise<Answered> {
  const { actor, call, body } = request;
  if (actor.role !== 'agent' || call === undefined) throw new TypeError('only calls of agents propose Schedules');
  const { name: wanted, ...spec } = body;
  const name = proposedName(wanted, key);
  await lockResource(tx, 'Schedule', name);
  if (await isResourceGone(tx, 'Schedule', name)) {
    const outcome = refused('no_such_schedule', `The Schedule ${name} was created, and is deleted by now`);
    return { outcome, replayed: true };
  }
  const proposal = { agentId: actor.agentId, call: `${call.runId}/${call.callId}` };
  const { record, replayed } = await createOnce(schedules, { name, spec, proposal });
  if (!record.ok) return { outcome: record, replayed };
  const { uid } = record.data;
  // The watch may have recorded it meanwhile, if an earlier attempt ended before it could.
  if ((await findSeenResource(tx, uid)) === null) {
    await noteResource(tx, { uid, kind: 'Schedule', name, generation: 1 });
    await recordAct(tx, request, { action: 'schedule.create', object: name, detail: { uid, spec } });
  }
  await noteScheduleApprover(tx, uid, call);
  return { outcome: accepted({ schedule: scheduleView(record.data, []) }), replayed };
}

/**
 * Creates the Schedule that an agent proposes in a call of a run, at most once for the call: its name follows from the key.
 * The person who allowed the call becomes its author. Throws UnavailableError if the cluster is unreachable.
 */
export function proposeSchedule({ db, schedules }: ProposalPorts): ClusterHandler {
  return {
    kind: 'cluster',
    run: (request: Asked, { key }): Promise<Answered> =>
      inTransaction(db, (tx) => propose(tx, request, { schedules, key })),
  };
}
