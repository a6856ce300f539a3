/** The API is killed (SIGKILL) at statements around a write to the cluster: a retry completes the write, or else the watch does. */
import assert from 'node:assert/strict';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { API_VERSION } from '@hamlet/contract';
import { isStatus, type ResourceType } from '@hamlet/kube';
import { readAudit, type Db } from '@hamlet/store';
import { pluck } from '@hamlet/test/env/pluck';
import { AGENTS, ENTITLEMENTS } from '../agents/kubernetes-watch.ts';
import { startApiProcess, type ApiProcess } from '../testing/api-process.ts';
import { startClusterVillage, type ClusterVillage } from '../testing/cluster-village.ts';
import { startStatementTap, type Cut, type StatementTap } from '../testing/statement-tap.ts';
import { clientOf, eventually, TOKENS } from '../testing/test-village.ts';
import { SCHEDULES } from './resource-audit.ts';

let cluster: ClusterVillage;
let kube: ClusterVillage['kube'];
let village: ClusterVillage['village'];
let tap: StatementTap;
let db: Db;
let api: ApiProcess;
let namespace = '';
/** Kills the API at the first statement that it chooses. */
let killAt: Cut | null = null;

const cut: Cut = (open, statement) => {
  const how = killAt?.(open, statement) ?? null;
  if (how === null) return null;
  killAt = null;
  process.kill(api.pid, 'SIGKILL');
  return how;
};

async function startApi(): Promise<void> {
  const url = new URL(village.environment['HAMLET_POSTGRES_URL'] ?? '');
  url.host = `127.0.0.1:${tap.port}`;
  api = await startApiProcess(village, { ...cluster.environment, HAMLET_POSTGRES_URL: url.href });
}

before(async () => {
  cluster = await startClusterVillage();
  ({ kube, village, namespace } = cluster);
  db = village.openDb();
  tap = await startStatementTap(Number(new URL(village.postgres.url()).port), cut);
  const agent = {
    apiVersion: API_VERSION,
    kind: 'Agent',
    metadata: { name: 'ada', namespace },
    spec: { displayName: 'Ada' },
  };
  await kube.client.apply(AGENTS, agent, { fieldManager: 'kubectl' });
  await startApi();
  await eventually('ada', async () => (await admin().raw.getAgent({ agent_id: 'ada' })).ok);
});
after(async () => {
  await api.stop('SIGKILL');
  await cluster.remove();
  tap.stop();
});

const admin = (): ReturnType<typeof clientOf> => clientOf(api.url, TOKENS.admin);

/** At the commit of the transaction that records the write, before the API can write to the cluster. */
const BEFORE_THE_WRITE: Cut = (open, statement) =>
  statement === 'commit' && open.some((earlier) => earlier.includes('insert into cluster_write')) ? 'after' : null;
/** After the write, before Postgres records its end. */
const AFTER_THE_WRITE: Cut = (_open, statement) =>
  statement.startsWith('delete from "cluster_write"') ? 'before' : null;
/** After Postgres has recorded the end, before the caller gets the answer. */
const AFTER_ITS_END: Cut = (open, statement) =>
  statement === 'commit' && open.some((earlier) => earlier.startsWith('delete from "cluster_write"')) ? 'after' : null;
const MOMENTS = {
  'before the write': BEFORE_THE_WRITE,
  'after the write': AFTER_THE_WRITE,
  'after its end': AFTER_ITS_END,
};

interface Sent {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

/** Sends a request. Returns the code of its answer: `ok`, that of the refusal, or `cut` without an answer. */
async function send({ method, path, body }: Sent, key: string): Promise<string> {
  const headers = {
    authorization: `Bearer ${TOKENS.admin}`,
    'content-type': 'application/json',
    'idempotency-key': key,
  };
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const response = await fetch(`${api.url}/api/v1${path}`, init).catch(() => null);
  if (response === null) return 'cut';
  if (response.ok) return 'ok';
  return ((await response.json()) as { readonly code: string }).code;
}

/**
 * Sends a request whose API is killed at a given moment, starts the next API, and lets the lease of the write expire.
 */
async function sendAndKill(sent: Sent, { key, moment }: { readonly key: string; readonly moment: Cut }): Promise<void> {
  killAt = moment;
  assert.equal(await send(sent, key), 'cut');
  assert.equal(killAt, null, 'the API was killed at the moment');
  await api.stop('SIGKILL');
  await db
    .updateTable('cluster_write')
    .set({ leased_until: new Date(0) })
    .execute();
  await startApi();
}

/** Repeats a request until it has an answer. While the write is in progress, it is refused. */
async function retry(sent: Sent, key: string): Promise<void> {
  await eventually('the answer to the retry', async () => {
    const code = await send(sent, key);
    assert.ok(['ok', 'idempotency_in_flight', 'unavailable'].includes(code), code);
    return code === 'ok';
  });
}

const actsOn = async (name: string, action: string): Promise<readonly string[]> =>
  (await readAudit(db, name, 100))
    .filter((row) => row.action === action)
    .map(({ actorRole, actorId }) => `${actorRole} ${actorId}`);

async function isThere(type: ResourceType, name: string): Promise<boolean> {
  try {
    return (await kube.client.get(type, { namespace, name })).metadata.deletionTimestamp === undefined;
  } catch (error) {
    if (isStatus(error, 404)) return false;
    throw error;
  }
}

const TIER = {
  rank: 3,
  limits: { requests_per_minute: 90, concurrent_tools: 2, tokens_per_hour: 5_000, models: ['small'] },
};
const SCHEDULE = { agent_name: 'ada', prompt: 'Look around.', every: '10m' };

interface Case {
  readonly action: string;
  readonly object: (name: string) => readonly [type: ResourceType, name: string];
  readonly before?: (name: string) => Promise<void>;
  readonly request: (name: string) => Sent;
  /** True if the object exists after the request; by default it does. */
  readonly leaves?: boolean;
}

async function addSchedule(name: string): Promise<void> {
  await retry({ method: 'POST', path: '/schedules', body: { name, ...SCHEDULE } }, `add ${name}`);
}

async function addAgent(name: string): Promise<void> {
  const object = { apiVersion: API_VERSION, kind: 'Agent', metadata: { name, namespace }, spec: {} };
  await kube.client.apply(AGENTS, object, { fieldManager: 'kubectl' });
  await eventually(name, async () => (await admin().raw.getAgent({ agent_id: name })).ok);
}

const CASES: Readonly<Record<string, Case>> = {
  'a new tier': {
    action: 'entitlement.change',
    object: (name) => [ENTITLEMENTS, name],
    request: (name) => ({ method: 'PUT', path: `/entitlements/${name}`, body: TIER }),
  },
  'a reboot': {
    action: 'reboot',
    object: () => [AGENTS, 'ada'],
    request: () => ({ method: 'POST', path: '/agents/ada/reboot' }),
  },
  'the first manifests of an agent': {
    action: 'agent.manifests',
    object: (name) => [AGENTS, name],
    before: addAgent,
    request: (name) => ({
      method: 'PUT',
      path: `/agents/${name}/manifests`,
      body: { files: [{ path: 'workflow.yaml', text: 'workflow: {}' }], version: null },
    }),
  },
  'a new Agent': {
    action: 'agent.create',
    object: (name) => [AGENTS, name],
    request: (name) => ({ method: 'POST', path: '/agents', body: { agent_id: name, spec: { displayName: 'New' } } }),
  },
  'a deleted Agent whose volume stays': {
    action: 'agent.delete',
    object: (name) => [AGENTS, name],
    before: addAgent,
    request: (name) => ({ method: 'DELETE', path: `/agents/${name}`, body: { confirm: name, volume: 'keep' } }),
    leaves: false,
  },
  'a new Schedule': {
    action: 'schedule.create',
    object: (name) => [SCHEDULES, name],
    request: (name) => ({ method: 'POST', path: '/schedules', body: { name, ...SCHEDULE } }),
  },
  'a changed Schedule': {
    action: 'schedule.change',
    object: (name) => [SCHEDULES, name],
    before: addSchedule,
    request: (name) => ({ method: 'PATCH', path: `/schedules/${name}`, body: { every: '20m' } }),
  },
  'a deleted Schedule': {
    action: 'schedule.delete',
    object: (name) => [SCHEDULES, name],
    before: addSchedule,
    request: (name) => ({ method: 'DELETE', path: `/schedules/${name}` }),
    leaves: false,
  },
};

const generationOf = async ([type, name]: readonly [ResourceType, string]): Promise<number> =>
  (await isThere(type, name)) ? ((await kube.client.get(type, { namespace, name })).metadata.generation ?? 0) : 0;

/** Makes a later change and waits for it: then all earlier changes are in the audit. */
async function auditIsCurrent(name: string): Promise<void> {
  await retry({ method: 'POST', path: '/schedules', body: { name, ...SCHEDULE } }, `mark ${name}`);
  await kube.client.mergePatch(SCHEDULES, { spec: { every: '30m' } }, { namespace, name });
  await eventually('the mark', async () => (await readAudit(db, name, 10)).length >= 2);
}

let numbers = 0;
for (const [what, { action, object, before: prepare, request, leaves = true }] of Object.entries(CASES))
  for (const [when, moment] of Object.entries(MOMENTS))
    test(`${what}, killed ${when}: the retry leaves one change and one audit row`, async () => {
      numbers += 1;
      const [name, key] = [`case-${numbers}`, `key-${numbers}`];
      await prepare?.(name);
      const [at, actsBefore] = [await generationOf(object(name)), (await actsOn(object(name)[1], action)).length];
      await sendAndKill(request(name), { key, moment });
      await retry(request(name), key);
      await retry(request(name), key);
      assert.equal(await isThere(...object(name)), leaves);
      if (leaves) assert.equal(await generationOf(object(name)), at + 1, 'one change');
      await auditIsCurrent(`mark-${numbers}`);
      assert.deepEqual((await actsOn(object(name)[1], action)).slice(actsBefore), ['admin key admin']);
      assert.deepEqual(await db.selectFrom('cluster_write').select('key').execute(), []);
    });

test("without a retry, the next API's watch audits the write with its actor", async () => {
  const sent: Sent = { method: 'POST', path: '/schedules', body: { name: 'unasked', ...SCHEDULE } };
  await sendAndKill(sent, { key: 'unasked', moment: AFTER_THE_WRITE });
  await eventually('the row', async () => (await actsOn('unasked', 'schedule.create')).length > 0);
  await retry(sent, 'unasked');
  assert.deepEqual(await actsOn('unasked', 'schedule.create'), ['admin key admin']);
  assert.deepEqual(pluck(await readAudit(db, 'unasked', 10), 'action'), ['schedule.create']);
});

test('another request with the key of an unfinished write is refused', async () => {
  const path = '/entitlements/keyed';
  await sendAndKill({ method: 'PUT', path, body: TIER }, { key: 'keyed', moment: BEFORE_THE_WRITE });
  assert.equal(await send({ method: 'PUT', path, body: { ...TIER, rank: 4 } }, 'keyed'), 'idempotency_key_reused');
  await retry({ method: 'PUT', path, body: TIER }, 'keyed');
});
