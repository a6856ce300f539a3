import { setTimeout as sleep } from 'node:timers/promises';
import { GROUP, VERSION } from '@hamlet/contract';
import { Reflector, slim, type KubeClient, type KubeObject, type ResourceType } from '@hamlet/kube';
import {
  findSeenResource,
  lockResource,
  inTransaction,
  noteResourceGone,
  noteResourceSeen,
  readOpenWrites,
  readPresentResources,
} from '@hamlet/store';
import type { Db, IntentKind, OpenWrite, SeenResource, Tx, WriteAct } from '@hamlet/store';
import { actingAs, recordAct } from '../audit/record-act.ts';
import type { Log } from '../service/log.ts';
import { FIELD_MANAGER } from '../agents/field-owners.ts';
import { decideAudit, type DueAudit, type ShownResource } from './decide-audit.ts';
import { actingOf, noteAuthor } from './write-cluster.ts';
import type { Services } from '../service/services.ts';

export const SCHEDULES: ResourceType = { group: GROUP, version: VERSION, plural: 'schedules', kind: 'Schedule' };
/** Beyond this number the queue drops the oldest change; a later one of the same object covers it. */
const WAITING_MAX = 10_000;
const RETRY_MS = 1_000;
const UNDER_WAY_MS = 100;
const READY_POLL_MS = 250;

const WORDS: Readonly<Record<IntentKind, string>> = {
  Agent: 'agent',
  Entitlement: 'entitlement',
  Schedule: 'schedule',
};

const isIntentKind = (kind: string): kind is IntentKind => kind in WORDS;

function shownOf(kind: IntentKind, object: KubeObject): ShownResource {
  const { name, uid, generation = 0, managedFields, deletionTimestamp } = object.metadata;
  const { spec } = object as KubeObject & { readonly spec?: unknown };
  return { kind, name, uid, generation, spec: spec ?? {}, managedFields, ending: deletionTimestamp !== undefined };
}

/**
 * Writes the due audit row and marks the object as audited, in one transaction under the object's lock, so that two
 * replicas write one row. While a write of the API is in progress, the row waits, because it may belong to that write.
 */
async function auditOne(tx: Tx, shown: ShownResource): Promise<'audited' | 'later'> {
  const { kind, name, uid } = shown;
  await lockResource(tx, kind, name);
  const verdict = decideAudit(await findSeenResource(tx, uid), shown);
  if (verdict.verdict === 'known') return 'audited';
  if (verdict.verdict === 'learn') {
    await noteResourceSeen(tx, shown, verdict.fields);
    return 'audited';
  }
  const open = await readOpenWrites(tx, kind, name);
  if (open.some(({ live }) => live)) return 'later';
  await writeRow(tx, { shown, verdict, lost: lostWriteOf(verdict, open) });
  return 'audited';
}

async function writeRow(
  tx: Tx,
  due: { readonly shown: ShownResource; readonly verdict: DueAudit; readonly lost: WriteAct | null },
): Promise<void> {
  const { shown, verdict, lost } = due;
  const { uid, kind, name, generation } = shown;
  const ended = verdict.verdict === 'ended';
  await noteResourceSeen(tx, { uid, kind, name, generation }, ended ? {} : verdict.fields);
  if (ended && !(await noteResourceGone(tx, uid))) return;
  if (lost !== null) {
    if (kind === 'Schedule') await noteAuthor(tx, uid, lost);
    return recordAct(tx, actingOf(lost), { action: lost.action, object: name, detail: verdict.detail });
  }
  const verb = { made: 'create', changed: 'change', ended: 'delete' }[verdict.verdict];
  const acting = actingAs('kubernetes', ended ? 'unknown' : verdict.manager);
  await recordAct(tx, acting, { action: `${WORDS[kind]}.${verb}`, object: name, detail: verdict.detail });
}

/** The write of a replica that died before it recorded this change; null if the change is another writer's. Pure. */
function lostWriteOf(verdict: DueAudit, open: readonly OpenWrite[]): WriteAct | null {
  const ended = verdict.verdict === 'ended';
  if (!ended && verdict.manager !== FIELD_MANAGER) return null;
  return open.find(({ act }) => act.action.endsWith('.delete') === ended)?.act ?? null;
}

function isKnown(known: ReadonlyMap<string, number>, { uid, generation, ending }: ShownResource): boolean {
  return !ending && (known.get(uid) ?? -1) >= generation;
}

/** Writes due audit rows one by one, in the order of the watch. It retries each until Postgres has it. */
function startQueue({ db, log }: { readonly db: Db; readonly log: Log }, before: readonly SeenResource[]) {
  const known = new Map(
    before.map(({ uid, generation, fieldsGeneration }) => [uid, Math.min(generation, fieldsGeneration)]),
  );
  const waiting: ShownResource[] = [];
  const stopping = new AbortController();
  let working: Promise<void> | null = null;

  async function drain(): Promise<void> {
    for (let head = waiting[0]; head !== undefined && !stopping.signal.aborted; head = waiting[0]) {
      const shown = head;
      try {
        if ((await inTransaction(db, (tx) => auditOne(tx, shown))) === 'later') {
          await sleep(UNDER_WAY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
          continue;
        }
        if (waiting[0] === shown) waiting.shift();
        known.set(shown.uid, shown.generation);
      } catch (error) {
        log('warn', 'a change of a custom resource is not in the audit yet; trying again', {
          kind: shown.kind,
          name: shown.name,
          error,
        });
        await sleep(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  }

  return {
    add: (shown: ShownResource) => {
      if (isKnown(known, shown)) return;
      waiting.push(shown);
      if (waiting.length > WAITING_MAX) waiting.shift();
      working ??= drain().finally(() => {
        working = null;
      });
    },
    stop: async () => {
      stopping.abort();
      await working;
    },
  };
}

/** Starts the audit. First reads the resources that the audit knows: a resource that no watch lists was deleted. */
export async function startResourceAudit(
  ports: Pick<Services, 'db' | 'log'> & {
    readonly client: KubeClient;
    readonly namespace: string;
  },
) {
  const { client, namespace, log } = ports;
  const before = await readPresentResources(ports.db);
  const queue = startQueue(ports, before);
  const present = new Set<string>();
  const stopping = new AbortController();

  const see = (kind: string, object: KubeObject): void => {
    if (!isIntentKind(kind)) return;
    present.add(object.metadata.uid);
    queue.add(shownOf(kind, object));
  };
  const seeEnd = (kind: string, object: KubeObject): void => {
    if (isIntentKind(kind)) queue.add({ ...shownOf(kind, object), ending: true });
  };

  const onFailure = (error: unknown): void => log('warn', 'the watch of schedules failed and is resumed', { error });
  const transform = (raw: KubeObject): KubeObject => {
    see('Schedule', raw);
    return { metadata: slim(raw).metadata };
  };
  const schedules = new Reflector<KubeObject>({ client, type: SCHEDULES, namespace, onFailure, transform });
  schedules.cache.onChange(({ kind, object }) => {
    if (kind === 'deleted') seeEnd('Schedule', object);
  });
  const listed = schedules.start();

  async function lookForGone(isReady: () => boolean): Promise<void> {
    await listed;
    while (!isReady()) await sleep(READY_POLL_MS, undefined, { signal: stopping.signal });
    for (const gone of before.filter(({ uid }) => !present.has(uid))) queue.add(endOf(gone));
  }

  return {
    see,
    seeEnd,
    /** Finds objects that were deleted while no replica watched, as soon as the watches of agents and tiers have listed. */
    follow: (isReady: () => boolean) =>
      void lookForGone(isReady).catch((error: unknown) =>
        log('debug', 'the search for deleted resources was aborted', { error }),
      ),
    stop: async () => {
      stopping.abort();
      await schedules.stop();
      await queue.stop();
    },
  };
}

function endOf({ kind, name, uid, generation }: SeenResource): ShownResource {
  return { kind, name, uid, generation, spec: {}, managedFields: undefined, ending: true };
}
