/** Tiers and pins over HTTP on a real API server, and the audit of changes by kubectl and GitOps, on two replicas and over restarts. */
import assert from 'node:assert/strict';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { API_VERSION, type EntitlementBody } from '@hamlet/contract';
import type { KubeObject } from '@hamlet/kube';
import { readAudit, type Db } from '@hamlet/store';
import { pluck } from '@hamlet/test/env/pluck';
import { refuses } from '@hamlet/test/env/client';
import { AGENTS, ENTITLEMENTS } from '../agents/kubernetes-watch.ts';
import type { RunningServer } from '../start/start-server.ts';
import { startClusterVillage, type ClusterVillage } from '../testing/cluster-village.ts';
import { firstAdmin, invite } from '../testing/play/people-play.ts';
import { firingBody, leaderOf } from '../testing/play/run-play.ts';
import { clientOf, eventually, TOKENS } from '../testing/test-village.ts';
import { SCHEDULES } from './resource-audit.ts';

let cluster: ClusterVillage;
let kube: ClusterVillage['kube'];
let village: ClusterVillage['village'];
let namespace = '';
let replicas: RunningServer[] = [];
let environment: Readonly<Record<string, string>> = {};
let db: Db;

before(async () => {
  cluster = await startClusterVillage();
  ({ kube, village, namespace, environment } = cluster);
  replicas = [await village.startReplica(environment), await village.startReplica(environment)];
  db = village.openDb();
});
after(() => cluster.remove());

type Stored = KubeObject & { readonly spec: Readonly<Record<string, unknown>> };
const admin = (replica = 0): ReturnType<typeof clientOf> => clientOf(replicas[replica]?.peopleUrl ?? '', TOKENS.admin);

const BODY = {
  rank: 3,
  min_balance: '20',
  limits: { requests_per_minute: 90, concurrent_tools: 2, tokens_per_hour: 5_000, models: ['small'] },
};
const body = (changes: Partial<EntitlementBody> = {}): object => ({ ...BODY, ...changes });

async function put(
  name: string,
  wanted: object = BODY,
  more: { readonly ifMatch?: string; readonly onConflict?: 'take_over' } = {},
): Promise<{ readonly status: number; readonly code: string; readonly detail: string; readonly etag: string | null }> {
  const query = more.onConflict === undefined ? '' : `?on_conflict=${more.onConflict}`;
  const headers = {
    authorization: `Bearer ${TOKENS.admin}`,
    'content-type': 'application/json',
    'idempotency-key': crypto.randomUUID(),
    ...(more.ifMatch === undefined ? {} : { 'if-match': more.ifMatch }),
  };
  const response = await fetch(`${replicas[0]?.peopleUrl}/api/v1/entitlements/${name}${query}`, {
    method: 'PUT',
    headers,
    body: JSON.stringify(wanted),
  });
  const { code = '', detail = '' } = (await response.json()) as { code?: string; detail?: string };
  return { status: response.status, code, detail, etag: response.headers.get('etag') };
}

function specOf(rank: number, models: readonly string[] = ['small']): object {
  return { rank, limits: { requestsPerMinute: 60, concurrentTools: 1, tokensPerHour: 100, models } };
}

function entitlement(
  name: string,
  spec: object,
): { apiVersion: string; kind: string; metadata: { name: string; namespace: string }; spec: object } {
  return { apiVersion: API_VERSION, kind: 'Entitlement', metadata: { name, namespace }, spec };
}

async function kubectl(name: string, spec: object, fieldManager = 'kubectl'): Promise<Stored> {
  return kube.client.apply<Stored>(ENTITLEMENTS, entitlement(name, spec), { fieldManager });
}

async function linesOf(object: string): Promise<readonly string[]> {
  return (await readAudit(db, object, 100))
    .map(({ action, actorRole, actorId }) => `${action} by ${actorRole} ${actorId}`)
    .toReversed();
}

async function lineCount(object: string, count: number): Promise<readonly string[]> {
  return eventually(`${count} lines of ${object}`, async () => {
    const lines = await linesOf(object);
    return lines.length >= count ? lines : null;
  });
}

test("a tier is created and changed by its name, under the API's field manager, with one audit row each", async () => {
  const made = await admin().putEntitlement({ name: 'made', ...BODY });
  assert.deepEqual(
    [made.rank, made.min_balance, made.limits.models, made.compute.cpu, made.compute.gpu.mode, made.price.per_hour],
    [3, '20', ['small'], '500m', 'None', '0'],
  );
  const gpu = { mode: 'Exclusive', count: 1 } as const;
  await admin().putEntitlement({
    name: 'made',
    ...BODY,
    rank: 4,
    compute: { cpu: '2', memory: '1Gi', gpu, priority_class_name: 'hamlet-tier-2' },
  });
  const object = await kube.client.get<Stored>(ENTITLEMENTS, { namespace, name: 'made' });
  assert.deepEqual(object.spec['compute'], {
    resources: { cpu: '2', memory: '1Gi' },
    gpu: { mode: 'Exclusive', count: 1 },
    priorityClassName: 'hamlet-tier-2',
  });
  await admin().putEntitlement({ name: 'made', ...BODY });
  const back = await kube.client.get<Stored>(ENTITLEMENTS, { namespace, name: 'made' });
  assert.deepEqual(
    back.spec['compute'],
    { resources: { cpu: '500m', memory: '512Mi' }, gpu: { mode: 'None', count: 0 } },
    'an omitted field is removed',
  );
  const same = await admin().putEntitlement({ name: 'made', ...BODY });
  assert.equal(same.etag, `"${back.metadata.uid}.${back.metadata.generation}"`);
  assert.deepEqual(pluck(back.metadata.managedFields as { manager: string }[], 'manager'), ['hamlet-api']);
  await eventually(
    'the watch has it',
    async () => (await admin(1).getEntitlement({ name: 'made' })).etag === same.etag,
  );
  assert.deepEqual(
    await linesOf('made'),
    Array(3).fill('entitlement.change by admin key admin'),
    'and no audit row of the watch, on either replica',
  );
});

test('If-Match keeps two admins from overwriting each other', async () => {
  const first = await put('matched');
  assert.equal(first.status, 200);
  const second = await put('matched', body({ rank: 5 }), { ifMatch: first.etag ?? '' });
  assert.equal(second.status, 200);
  assert.notEqual(second.etag, first.etag);
  const late = await put('matched', body({ rank: 6 }), { ifMatch: first.etag ?? '' });
  assert.deepEqual([late.status, late.code], [412, 'precondition_failed']);
  assert.ok(late.detail.includes(second.etag ?? 'no etag'));
  assert.equal((await put('matched', body({ rank: 6 }), { ifMatch: '*' })).status, 200);
  assert.equal(
    (await put('never-made', BODY, { ifMatch: '*' })).code,
    'precondition_failed',
    'a missing tier matches no etag',
  );
});

test("a refusal shows the cluster's message; for a missing tier, the API's", async () => {
  const refused = await put(
    'refused',
    body({
      compute: {
        cpu: 'plenty',
        memory: '1Gi',
        gpu: { mode: 'None', resource_name: null, count: 0, claim_template_name: null },
        priority_class_name: null,
      },
    }),
  );
  assert.deepEqual([refused.status, refused.code], [422, 'entitlement_refused']);
  assert.match(refused.detail, /spec\.compute\.resources\.cpu/);
  await refuses(admin().getEntitlement({ name: 'nowhere' }), 'no_such_entitlement');
});

test('a field that GitOps owns is taken over only on request', async () => {
  await kubectl('gitops', specOf(7), 'argocd');
  const asked = await put('gitops', body({ rank: 8 }));
  assert.deepEqual([asked.status, asked.code], [409, 'field_owned_elsewhere']);
  assert.match(asked.detail, /spec\.rank is managed by "argocd"/);
  // The watch audits an outside change when it sees it, so the admin's change waits to keep the order.
  await lineCount('gitops', 1);
  assert.equal((await put('gitops', body({ rank: 8 }), { onConflict: 'take_over' })).status, 200);
  assert.deepEqual(await lineCount('gitops', 2), [
    'entitlement.create by kubernetes argocd',
    'entitlement.change by admin key admin',
  ]);
});

test('an agent is pinned and released; its power, which the API also writes, does not change', async () => {
  await kubectl('pin', specOf(9));
  const agent = {
    apiVersion: API_VERSION,
    kind: 'Agent',
    metadata: { name: 'ada', namespace },
    spec: { displayName: 'Ada' },
  };
  await kube.client.apply(AGENTS, agent, { fieldManager: 'kubectl' });
  const on = { agent_id: 'ada' };
  await eventually('ada', async () => (await admin().raw.suspendAgent(on)).ok);
  await eventually('the tier', async () => (await admin().raw.getEntitlement({ name: 'pin' })).ok);
  const pinned = await admin().putAgentEntitlement({ ...on, policy: 'Pinned', name: 'pin' });
  assert.deepEqual([pinned.policy, pinned.name, pinned.changed], ['Pinned', 'pin', true]);
  assert.equal((await admin().putAgentEntitlement({ ...on, policy: 'Pinned', name: 'pin' })).changed, false);
  await admin().awakenAgent(on);
  const stored = await kube.client.get<Stored>(AGENTS, { namespace, name: 'ada' });
  assert.deepEqual(
    [stored.spec['entitlement'], stored.spec['power'], stored.spec['displayName']],
    [{ policy: 'Pinned', name: 'pin' }, 'Awake', 'Ada'],
  );
  await admin().putAgentEntitlement({ ...on, policy: 'ByBalance' });
  const free = await kube.client.get<Stored>(AGENTS, { namespace, name: 'ada' });
  assert.deepEqual(free.spec['entitlement'], { policy: 'ByBalance' });
  await refuses(admin().putAgentEntitlement({ ...on, policy: 'Pinned', name: 'nowhere' }), 'no_such_entitlement');
  await refuses(admin().putAgentEntitlement({ agent_id: 'nobody', policy: 'ByBalance' }), 'no_such_agent');
  const lines = (await lineCount('ada', 5)).filter((line) => !line.startsWith('agent.create'));
  assert.deepEqual(
    lines,
    ['suspend', 'agent.entitlement', 'awaken', 'agent.entitlement'].map((action) => `${action} by admin key admin`),
  );
});

test('each change by kubectl and GitOps has one audit row with its field manager, on two replicas; a status change has none', async () => {
  await kubectl('outside', specOf(11));
  await kubectl('outside', specOf(12));
  await kube.client.mergePatch(
    ENTITLEMENTS,
    { spec: { limits: { models: ['large'] } } },
    { namespace, name: 'outside', query: { fieldManager: 'kubectl-edit' } },
  );
  await kube.client.mergePatch(
    ENTITLEMENTS,
    { status: { agents: 3 } },
    { namespace, name: 'outside', subresource: 'status' },
  );
  await kube.client.delete(ENTITLEMENTS, { namespace, name: 'outside' });
  assert.deepEqual(await lineCount('outside', 4), [
    'entitlement.create by kubernetes kubectl',
    'entitlement.change by kubernetes kubectl',
    'entitlement.change by kubernetes kubectl-edit',
    'entitlement.delete by kubernetes unknown',
  ]);
  const [, edited] = await readAudit(db, 'outside', 10);
  const { fields } = (edited?.detail ?? {}) as { readonly fields?: unknown };
  assert.deepEqual(fields, { 'limits.models': ['large'] });
});

test('schedules are audited like tiers; the API audits its own writes', async () => {
  const schedule = {
    apiVersion: API_VERSION,
    kind: 'Schedule',
    metadata: { name: 'by-kubectl', namespace },
    spec: { agentName: 'ada', prompt: 'Look around.', every: '10m' },
  };
  await kube.client.apply(SCHEDULES, schedule, { fieldManager: 'kubectl' });
  assert.deepEqual(await lineCount('by-kubectl', 1), ['schedule.create by kubernetes kubectl']);
  await admin().createSchedule({ name: 'by-api', agent_name: 'ada', prompt: 'Look around.', every: '10m' });
  await admin(1).deleteSchedule({ name: 'by-api' });
  await kube.client.delete(SCHEDULES, { namespace, name: 'by-kubectl' });
  await lineCount('by-kubectl', 2);
  assert.deepEqual(await linesOf('by-api'), [
    'schedule.create by admin key admin',
    'schedule.delete by admin key admin',
  ]);
});

test('the schedule of a banned person creates no runs until the ban is lifted', async () => {
  const url = replicas[0]?.peopleUrl ?? '';
  const grace = await firstAdmin(url);
  const author = await invite(grace, url, { name: 'Author', role: 'admin' });
  const { uid } = (
    await author.client.createSchedule({ name: 'authored', agent_name: 'ada', prompt: 'Look around.', every: '10m' })
  ).schedule;
  const leader = leaderOf(replicas[1]?.agentsUrl ?? '', 'lease:1');
  const fire = async (minute: number): Promise<string | undefined> => {
    const slot = `2026-01-01T00:0${minute}:00.000Z`;
    return (await leader.fireSchedule(firingBody({ schedule_uid: uid, slot, overlap: 'Queue' }))).runs[0]?.outcome;
  };
  assert.equal(await fire(1), 'started');
  const on = { account_id: author.accountId };
  await grace.client.banAccount({ ...on, reason: 'floods the agents' });
  assert.equal(await fire(2), 'agent_barred');
  await grace.client.liftAccountBan(on);
  assert.equal(await fire(3), 'queued');
});

test('a change while no API runs gets one audit row after the restart', async () => {
  for (const name of ['stays', 'changes', 'goes']) await kubectl(name, specOf(20));
  for (const name of ['stays', 'changes', 'goes']) await lineCount(name, 1);
  await Promise.all(replicas.map((replica) => replica.stop()));
  await kubectl('changes', specOf(21), 'kubectl');
  await kube.client.delete(ENTITLEMENTS, { namespace, name: 'goes' });
  await kubectl('comes', specOf(22));
  for (let round = 0; round < 2; round += 1) {
    replicas = [await village.startReplica(environment), await village.startReplica(environment)];
    await eventually('tiers', async () =>
      (await admin().listEntitlements()).entitlements.some(({ name }) => name === 'comes'),
    );
    await lineCount('changes', 2);
    await lineCount('goes', 2);
    await lineCount('comes', 1);
    // A newer change has its row, so all earlier changes have been processed.
    await kubectl(`round-${round}`, specOf(30 + round));
    await lineCount(`round-${round}`, 1);
    if (round === 0) await Promise.all(replicas.map((replica) => replica.stop()));
  }
  assert.deepEqual(
    await Promise.all(
      ['stays', 'changes', 'goes', 'comes'].map(async (name) =>
        (await linesOf(name)).map((line) => line.split(' ')[0]),
      ),
    ),
    [
      ['entitlement.create'],
      ['entitlement.create', 'entitlement.change'],
      ['entitlement.create', 'entitlement.delete'],
      ['entitlement.create'],
    ],
  );
});

test("the watch audits a write whose transaction the API lost, with the API's field manager", async () => {
  await kube.client.create(ENTITLEMENTS, entitlement('lost', specOf(40)), {
    namespace,
    query: { fieldManager: 'hamlet-api' },
  });
  assert.deepEqual(await lineCount('lost', 1), ['entitlement.create by kubernetes hamlet-api']);
});

test('without a cluster tiers can be read but not written', async () => {
  const samples = clientOf((await village.startReplica()).peopleUrl, TOKENS.admin);
  assert.equal((await samples.getEntitlement({ name: 'tier-1' })).etag, null);
  for (const outcome of [
    await samples.raw.putEntitlement({ name: 'tier-1', ...BODY }),
    await samples.raw.putAgentEntitlement({ agent_id: 'ada', policy: 'ByBalance' }),
  ])
    assert.equal(outcome.ok ? '' : outcome.problem.code, 'cluster_needed');
});
