import { createHash } from 'node:crypto';
import { isResourceGone, type Tx } from '@hamlet/store';
import type { Handlers } from '../http/handler.ts';
import { accepted, refused, type Refused } from '../http/outcome.ts';
import { writeCluster } from '../resource-writes/write-cluster.ts';
import { createOnce, writtenOf } from './create-schedule.ts';
import { scheduleView } from './schedule-view.ts';
import type { Village } from '../village.ts';

/** 48 bits distinguish the proposals of an agent. */
const HASH_CHARS = 12;

function proposedName(wanted: string, key: string): string {
  return `${wanted}-${createHash('sha256').update(key).digest('hex').slice(0, HASH_CHARS)}`;
}

async function refuseGone(tx: Tx, name: string): Promise<Refused | null> {
  return (await isResourceGone(tx, 'Schedule', name))
    ? refused('no_such_schedule', `The Schedule ${name} was created and has been deleted since`)
    : null;
}

/**
 * Creates the Schedule that an agent proposes in a call of a run, at most once: its name derives from the call's key.
 * The person who allowed the call becomes its author. Throws UnavailableError if the cluster is unreachable.
 */
export function proposeSchedule({ db, schedules }: Village): Handlers['createSchedule'] {
  return {
    kind: 'cluster',
    run: (request, key) => {
      const { actor, call, body } = request;
      if (actor.role !== 'agent' || call === undefined)
        throw new TypeError('a bug: only calls of agents can propose Schedules');
      const { name: wanted, ...spec } = body;
      const name = proposedName(wanted, key.key);
      const origin = { id: `${call.runId}/${call.callId}`, proposedBy: actor.agentId };
      return writeCluster(db, {
        key,
        // The outcome of the call's effect is this answer.
        keepsAnswer: false,
        by: request,
        kind: 'Schedule',
        name,
        action: 'schedule.create',
        check: (tx) => refuseGone(tx, name),
        write: async () => writtenOf(await createOnce(schedules, { name, spec, origin, resumed: true })),
        detail: ({ uid }) => ({ uid, spec }),
        answer: (record) => accepted({ schedule: scheduleView(record, []) }),
      });
    },
  };
}
