import { API_VERSION, Schedule } from '@hamlet/contract';
import type { ScheduleChange } from '@hamlet/contract';
import { isStatus, KubeError } from '@hamlet/kube';
import type { KubeClient, KubeObject } from '@hamlet/kube';
import type { OnConflict } from '../agents/agent-source.ts';
import { accepted, refused } from '../http/outcome.ts';
import type { Outcome, Refused } from '../http/outcome.ts';
import { UnavailableError } from '../http/respond.ts';
import { changeSpec } from '../intent/change-spec.ts';
import type { SpecPatch } from '../intent/change-spec.ts';
import { FIELD_MANAGER } from '../intent/field-owners.ts';
import { SCHEDULES } from '../intent/intent-audit.ts';
import type { Log } from '../service/log.ts';
import type { SchedulePage, ScheduleRecord, ScheduleSource } from './schedule-source.ts';
import { changeOf, mergePatchOf, newSpecOf, specChangeOf } from './spec-words.ts';

/** A Schedule as the API server has it, in our words. Throws where it does not match the schema (an older version's object). */
function recordOf(object: KubeObject): ScheduleRecord {
  const { spec, status } = Schedule.parse({ ...object, apiVersion: API_VERSION, kind: 'Schedule' });
  const { name, uid, creationTimestamp, generation = 0 } = object.metadata;
  return {
    name,
    uid,
    createdAt: new Date(creationTimestamp ?? 0).toISOString(),
    spec,
    status: status ?? {},
    generation,
  };
}

/** What the API server says against a write, in its own words; anything else is its absence. */
function refusalOf(error: unknown): Refused {
  if (!(error instanceof KubeError) || error.status === 429 || error.status >= 500) {
    throw new UnavailableError('The Kubernetes API cannot be reached right now; try again', { cause: error });
  }
  if (error.status === 404) return refused('no_such_schedule');
  if (error.reason === 'AlreadyExists') return refused('schedule_exists');
  if (error.status === 422 || error.status === 400) return refused('schedule_refused', error.message);
  throw error;
}

async function guarded<T>(work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await work();
  } catch (error) {
    return refusalOf(error);
  }
}

interface SchedulesPorts {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly log: Log;
}

function legible(object: KubeObject, log: Log): readonly ScheduleRecord[] {
  try {
    return [recordOf(object)];
  } catch (error) {
    log('error', 'a Schedule does not match its schema and is left out', { name: object.metadata.name, error });
    return [];
  }
}

async function list(
  { client, namespace, log }: SchedulesPorts,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
): Promise<Outcome<SchedulePage>> {
  try {
    const page = await client.list<KubeObject>(SCHEDULES, { namespace, query: { limit, continue: cursor } });
    const { continue: next = '' } = page.metadata;
    return accepted({
      schedules: page.items.flatMap((object) => legible(object, log)),
      next: next === '' ? null : next,
    });
  } catch (error) {
    // A cursor is the API server's own: one that it did not make is a 400, one that it has forgotten a 410.
    if (cursor !== undefined && (isStatus(error, 400) || isStatus(error, 410))) return refused('cursor_invalid');
    return refusalOf(error);
  }
}

async function change(
  { client, namespace }: SchedulesPorts,
  name: string,
  { wanted, onConflict }: { readonly wanted: ScheduleChange; readonly onConflict: OnConflict },
): Promise<Outcome<ScheduleRecord>> {
  const plan = (object: KubeObject): SpecPatch => {
    const { spec: before } = recordOf(object);
    const changed = changeOf(specChangeOf(wanted), before);
    return { spec: mergePatchOf(changed, before), paths: Object.keys(changed) };
  };
  const outcome = await changeSpec({ client, type: SCHEDULES, namespace }, { name, onConflict, plan });
  return outcome.ok ? accepted(recordOf(outcome.data.object)) : outcome;
}

/** Schedules of the cluster's namespace, read and written directly: what is answered is what the API server holds. */
export function kubernetesSchedules(ports: SchedulesPorts): ScheduleSource {
  const { client, namespace } = ports;
  const read = (name: string): Promise<KubeObject> => client.get<KubeObject>(SCHEDULES, { namespace, name });

  return {
    list: (asked) => list(ports, asked),
    get: async (name) => {
      const found = await guarded(async () => accepted(recordOf(await read(name))));
      return found.ok ? found.data : null;
    },
    create: (name, spec) =>
      guarded(async () => {
        const object = {
          apiVersion: API_VERSION,
          kind: 'Schedule',
          metadata: { name, namespace },
          spec: newSpecOf(spec),
        };
        return accepted(
          recordOf(
            await client.create<KubeObject>(SCHEDULES, object, {
              namespace,
              query: { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' },
            }),
          ),
        );
      }),
    change: (name, wanted, onConflict) => guarded(() => change(ports, name, { wanted, onConflict })),
    remove: (name) =>
      guarded(async () => {
        const { uid, generation = 0 } = (await read(name)).metadata;
        await client.delete(SCHEDULES, { namespace, name, uid });
        return accepted({ uid, generation });
      }),
  };
}
