import { API_VERSION, Schedule, type ScheduleChange, type ScheduleSpec } from '@hamlet/contract';
import { isStatus, type KubeClient, type KubeObject } from '@hamlet/kube';
import type { OnConflict } from '../agents/agent-source.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import { changeSpec, guardWrite, type SpecPatch } from '../resource-writes/change-spec.ts';
import { FIELD_MANAGER } from '../agents/field-owners.ts';
import { SCHEDULES } from '../resource-writes/resource-audit.ts';
import type { Log } from '../service/log.ts';
import type { Origin, SchedulePage, ScheduleRecord, ScheduleSource } from './schedule-source.ts';

/** Label and annotation of a Schedule that an agent proposed: its agent, for `kubectl get sch -l`, and the call of its run. */
const PROPOSED_BY_LABEL = 'hamlet.village/proposed-by';
const PROPOSED_IN_ANNOTATION = 'hamlet.village/proposed-in';
/** Annotation of a Schedule that a person created through the API: the write, so that a retry recognizes it. */
const CREATED_IN_ANNOTATION = 'hamlet.village/created-in';

function marksOf({ id, proposedBy }: Origin): object {
  return proposedBy === null
    ? { annotations: { [CREATED_IN_ANNOTATION]: id } }
    : { labels: { [PROPOSED_BY_LABEL]: proposedBy }, annotations: { [PROPOSED_IN_ANNOTATION]: id } };
}

/** The record of a Schedule. Throws if the object does not match the schema, for example one of an older version. */
function recordOf(object: KubeObject): ScheduleRecord {
  const { spec, status } = Schedule.parse({ ...object, apiVersion: API_VERSION, kind: 'Schedule' });
  const { name, uid, creationTimestamp, generation = 0, annotations } = object.metadata;
  return {
    name,
    uid,
    createdAt: new Date(creationTimestamp ?? 0).toISOString(),
    spec,
    status: status ?? {},
    generation,
    origin: annotations?.[PROPOSED_IN_ANNOTATION] ?? annotations?.[CREATED_IN_ANNOTATION] ?? null,
  };
}

const guarded = <T>(work: () => Promise<Outcome<T>>): Promise<Outcome<T>> =>
  guardWrite({ missing: 'no_such_schedule', refused: 'schedule_refused', exists: 'schedule_exists' }, work);

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

function list(
  { client, namespace, log }: SchedulesPorts,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
): Promise<Outcome<SchedulePage>> {
  return guarded(async () => {
    try {
      const page = await client.list<KubeObject>(SCHEDULES, { namespace, query: { limit, continue: cursor } });
      const { continue: next = '' } = page.metadata;
      return accepted({
        schedules: page.items.flatMap((object) => legible(object, log)),
        next: next === '' ? null : next,
      });
    } catch (error) {
      // The API server answers 400 to a cursor that it did not issue, and 410 to an expired one.
      if (cursor !== undefined && (isStatus(error, 400) || isStatus(error, 410))) return refused('cursor_invalid');
      throw error;
    }
  });
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

export function kubernetesSchedules(ports: SchedulesPorts): ScheduleSource {
  const { client, namespace } = ports;
  const read = (name: string): Promise<KubeObject> => client.get<KubeObject>(SCHEDULES, { namespace, name });

  return {
    list: (asked) => list(ports, asked),
    get: async (name) => {
      const found = await guarded(async () => accepted(recordOf(await read(name))));
      return found.ok ? found.data : null;
    },
    create: (name, spec, origin) =>
      guarded(async () => {
        const object = {
          apiVersion: API_VERSION,
          kind: 'Schedule',
          metadata: { name, namespace, ...marksOf(origin) },
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

const FIELDS = {
  agent_name: 'agentName',
  selector: 'selector',
  prompt: 'prompt',
  workflow: 'workflow',
  every: 'every',
  cron: 'cron',
  daily_at: 'dailyAt',
  time_zone: 'timeZone',
  missed_runs: 'missedRuns',
  catch_up_limit: 'catchUpLimit',
  overlap: 'overlap',
  starting_deadline_seconds: 'startingDeadlineSeconds',
  suspend: 'suspend',
  history_limit: 'historyLimit',
} as const satisfies Readonly<Record<keyof ScheduleChange, keyof ScheduleSpec>>;

/** Null removes a field. */
type SpecChange = { readonly [K in keyof ScheduleSpec]?: unknown };

function valueOf(key: keyof ScheduleChange, change: ScheduleChange): unknown {
  if (key !== 'selector' || change.selector === null || change.selector === undefined) return change[key];
  return { matchLabels: change.selector.match_labels };
}

function specChangeOf(change: ScheduleChange): SpecChange {
  const entries = Object.entries(FIELDS) as readonly (readonly [keyof ScheduleChange, keyof ScheduleSpec])[];
  return Object.fromEntries(
    entries.flatMap(([key, field]) => (change[key] === undefined ? [] : [[field, valueOf(key, change)]])),
  );
}

function newSpecOf(change: ScheduleChange): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(specChangeOf(change)).filter(([, value]) => value !== null));
}

/** A change replaces all labels and the whole workflow, so the patch sets each missing part to null. Pure. */
function mergePatchOf(change: SpecChange, before: ScheduleSpec): Readonly<Record<string, unknown>> {
  const { selector, workflow } = change;
  const { matchLabels } = (selector ?? {}) as { readonly matchLabels?: object };
  return {
    ...change,
    ...(isObject(matchLabels) ? { selector: { matchLabels: wholly(before.selector?.matchLabels, matchLabels) } } : {}),
    ...(isObject(workflow) ? { workflow: wholly(before.workflow, workflow) } : {}),
  };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** A merge patch that leaves only the parts of `after`. */
function wholly(before: object | undefined, after: object): object {
  return { ...Object.fromEntries(Object.keys(before ?? {}).map((key) => [key, null])), ...after };
}

/** Returns only the difference, because a writer owns the fields that it writes. Pure. */
export function changeOf(asked: SpecChange, before: ScheduleSpec): SpecChange {
  const fields = Object.keys(asked) as (keyof ScheduleSpec)[];
  return Object.fromEntries(
    fields.flatMap((field) =>
      JSON.stringify(asked[field] ?? null) === JSON.stringify(before[field] ?? null) ? [] : [[field, asked[field]]],
    ),
  );
}
