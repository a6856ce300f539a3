/** The API on a real API server: agents from custom resources, lifecycle by server-side apply, tokens by TokenReview. */
import assert from 'node:assert/strict';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { API_VERSION, type AgentTokenAnswer } from '@hamlet/contract';
import { PODS, SERVICE_ACCOUNTS, type KubeObject } from '@hamlet/kube';
import { codeOf, type TestClient, refuses } from '@hamlet/test/env/client';
import { startClusterVillage, type ClusterVillage } from '../testing/cluster-village.ts';
import { serviceAccountToken } from '@hamlet/test/env/cluster/service-account-token';
import { clientOf, eventually, TOKENS, Play } from '../testing/test-village.ts';
import type { Outcome as SourceOutcome } from '../http/outcome.ts';
import type { AgentSource, LifecycleChange } from './agent-source.ts';
import { openKubernetesSource } from './kubernetes-source.ts';
import { AGENTS, ENTITLEMENTS } from './kubernetes-watch.ts';

const LIFETIME_S = 600;
let cluster: ClusterVillage;
let kube: ClusterVillage['kube'];
let village: ClusterVillage['village'];
let namespace = '';
let play: Play;

before(async () => {
  cluster = await startClusterVillage();
  ({ kube, village, namespace } = cluster);
  play = new Play((await village.startReplica(cluster.environment)).peopleUrl);
});
after(() => cluster.remove());

async function applyAgent(name: string, spec: object = {}, fieldManager = 'kubectl'): Promise<KubeObject> {
  const wanted = { apiVersion: API_VERSION, kind: 'Agent', metadata: { name, namespace }, spec };
  const agent = await kube.client.apply<KubeObject>(AGENTS, wanted, { fieldManager });
  await eventually(`${name} in the world`, async () =>
    (await play.world()).agents.find((each) => each.agent_id === name),
  );
  return agent;
}

async function setStatus(name: string, status: object): Promise<void> {
  await kube.client.mergePatch(AGENTS, { status }, { namespace, name, subresource: 'status' });
  await eventually(
    `the status of ${name}`,
    async () =>
      JSON.stringify((await play.agent(name)).cycle) === JSON.stringify((status as { cycle?: number }).cycle ?? 0),
  );
}

async function writtenSpec(name: string): Promise<Readonly<Record<string, unknown>>> {
  const { spec } = await kube.client.get<KubeObject & { readonly spec: Readonly<Record<string, unknown>> }>(AGENTS, {
    namespace,
    name,
  });
  return spec;
}

/** Creates a pod as the operator would. Returns the token that its kubelet would project. */
async function podToken(
  agent: KubeObject,
  podName: string,
  changes: {
    readonly serviceAccountName?: string;
    readonly audiences?: readonly string[];
    readonly owned?: boolean;
  } = {},
): Promise<string> {
  const { serviceAccountName = 'hamlet-agent', audiences = ['hamlet-api'], owned = true } = changes;
  const owner = {
    apiVersion: API_VERSION,
    kind: 'Agent',
    name: agent.metadata.name,
    uid: agent.metadata.uid,
    controller: true,
  };
  const pod = await kube.client.create<KubeObject>(
    PODS,
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: podName, namespace, ownerReferences: owned ? [owner] : [] },
      spec: {
        serviceAccountName,
        automountServiceAccountToken: false,
        containers: [{ name: 'resident', image: 'hamlet/agent' }],
      },
    },
    { namespace },
  );
  return serviceAccountToken(
    kube.client,
    { namespace, name: serviceAccountName },
    {
      audiences,
      expirationSeconds: LIFETIME_S,
      boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: podName, uid: pod.metadata.uid },
    },
  );
}

const exchange = (token: string): Promise<AgentTokenAnswer> => clientOf(play.url, token).exchangeAgentToken();

/** Opens a second source, because the idle sleep has no route. */
async function openSource(): Promise<{ readonly source: AgentSource; readonly close: () => Promise<void> }> {
  const source = openKubernetesSource({ client: kube.client, namespace, log: () => undefined });
  await eventually('the source', async () => source.ready || undefined);
  return { source, close: () => source.close() };
}

const on = (agentId: string) => ({ agent_id: agentId });

test('applying an Agent adds it to the world, and deleting it removes it', async () => {
  await applyAgent('ivo', { displayName: 'Ivo' });
  assert.equal((await play.agent('ivo')).display_name, 'Ivo');
  await kube.client.delete(AGENTS, { namespace, name: 'ivo' });
  await eventually('ivo gone', async () => !(await play.world()).agents.some((agent) => agent.agent_id === 'ivo'));
  const again = await applyAgent('ivo', { displayName: 'Ivo the second' });
  assert.equal((await play.agent('ivo')).uid, again.metadata.uid);
});

test("an agent's details show the operator's status and the reason in words", async () => {
  await applyAgent('uma');
  const lastTransitionTime = new Date().toISOString();
  const message = '0/2 nodes are available: 2 Insufficient nvidia.com/gpu.';
  await setStatus('uma', {
    cycle: 3,
    tier: 'tier-9',
    nodeName: 'sparky2',
    podName: 'uma-3',
    conditions: [
      { type: 'Accepted', status: 'True', reason: 'Accepted', message: '', lastTransitionTime },
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime },
    ],
  });
  const uma = await play.agent('uma');
  assert.deepEqual([uma.cycle, uma.tier, uma.node, uma.pod], [3, 'tier-9', 'sparky2', 'uma-3']);
  assert.deepEqual(uma.why, { ready: false, reason: 'Unschedulable', message });
});

test('the API writes the lifecycle under its own field manager, keeps the fields of others, and a repeat changes nothing', async () => {
  await applyAgent('lou', { displayName: 'Lou' });
  assert.equal((await play.admin.suspendAgent(on('lou'))).changed, true);
  assert.equal((await play.admin.suspendAgent(on('lou'))).changed, false);
  await refuses(play.admin.rebootAgent(on('lou')), 'reboot_while_asleep');
  assert.equal((await play.admin.awakenAgent(on('lou'))).power, 'Awake');
  await play.admin.rebootAgent(on('lou'));
  await play.admin.suspendAgent(on('lou'));
  const spec = await writtenSpec('lou');
  assert.equal(spec['displayName'], 'Lou');
  assert.equal(spec['power'], 'Asleep');
  assert.equal(typeof spec['rebootedAt'], 'string', 'sleep keeps rebootedAt');
  const { metadata } = await kube.client.get<KubeObject>(AGENTS, { namespace, name: 'lou' });
  const managers = (metadata.managedFields as { manager: string }[]).map(({ manager }) => manager);
  assert.ok(managers.includes('hamlet-api'));
});

test('only an agent that fell asleep because it was idle wakes by itself; one that a person put to sleep does not', async () => {
  await applyAgent('ned', { displayName: 'Ned' });
  const { source, close } = await openSource();
  const slept = async (): Promise<[unknown, unknown]> => {
    const { power } = await writtenSpec('ned');
    const { metadata } = await kube.client.get<KubeObject>(AGENTS, { namespace, name: 'ned' });
    return [power, metadata.annotations?.['hamlet.village/sleep']];
  };
  const changed = (outcome: SourceOutcome<LifecycleChange>): unknown =>
    outcome.ok ? [outcome.data.changed, outcome.data.record.idle] : outcome.reason;

  assert.deepEqual(changed(await source.wakeIdle('ned')), [false, undefined], 'it is awake');
  assert.deepEqual(changed(await source.sleepIdle('ned')), [true, true]);
  assert.deepEqual(changed(await source.sleepIdle('ned')), [false, true]);
  assert.deepEqual(await slept(), ['Asleep', 'Idle']);
  assert.deepEqual(changed(await source.wakeIdle('ned')), [true, undefined]);
  assert.deepEqual(await slept(), ['Awake', undefined]);

  await play.admin.suspendAgent(on('ned'));
  assert.deepEqual(changed(await source.wakeIdle('ned')), [false, undefined], 'a person put it to sleep');
  await play.admin.awakenAgent(on('ned'));
  assert.deepEqual(changed(await source.sleepIdle('ned')), [true, true]);
  assert.equal((await play.admin.suspendAgent(on('ned'))).changed, true, 'a Suspend replaces the idle sleep');
  assert.deepEqual(await slept(), ['Asleep', undefined]);
  assert.deepEqual(changed(await source.wakeIdle('ned')), [false, undefined]);

  await play.admin.awakenAgent(on('ned'));
  assert.deepEqual(changed(await source.sleepIdle('ned')), [true, true]);
  const at = { namespace, name: 'ned', query: { fieldManager: 'kubectl-patch' } };
  for (const power of ['Awake', 'Asleep']) await kube.client.mergePatch(AGENTS, { spec: { power } }, at);
  assert.equal(changed(await source.wakeIdle('ned')), 'field_owned_elsewhere', 'a person wrote the power since');
  await close();
});

test('the API takes over a field only with on_conflict=take_over, and the refusal names the owner', async () => {
  await applyAgent('max', { power: 'Awake' }, 'argocd');
  await refuses(play.admin.suspendAgent(on('max')), 'field_owned_elsewhere', /argocd/);
  assert.equal((await play.admin.suspendAgent({ ...on('max'), on_conflict: 'take_over' })).power, 'Asleep');
});

const BY_UPDATE = { query: { fieldManager: 'kubectl-client-side-apply' } };

/** The ways in which people create an Agent and apply it again. */
const APPLIERS: Readonly<Record<string, (name: string, spec: object) => Promise<KubeObject>>> = {
  'kubectl apply': async (name, spec) => {
    const present = (await kube.client.list<KubeObject>(AGENTS, { namespace })).items.some(
      ({ metadata }) => metadata.name === name,
    );
    if (present) return kube.client.mergePatch<KubeObject>(AGENTS, { spec }, { ...BY_UPDATE, namespace, name });
    return kube.client.create<KubeObject>(
      AGENTS,
      { apiVersion: API_VERSION, kind: 'Agent', metadata: { name }, spec },
      { ...BY_UPDATE, namespace },
    );
  },
  'kubectl apply --server-side': (name, spec) => {
    const wanted = { apiVersion: API_VERSION, kind: 'Agent', metadata: { name, namespace }, spec };
    return kube.client.apply<KubeObject>(AGENTS, wanted, { fieldManager: 'kubectl', force: false });
  },
};

for (const [how, apply] of Object.entries(APPLIERS))
  test(`${how} does not own fields that the file leaves out: the API changes them without conflict, and another apply keeps them`, async () => {
    const name = how === 'kubectl apply' ? 'kim' : 'leo';
    await apply(name, { displayName: 'First' });
    await eventually(`${name} in the world`, async () =>
      (await play.world()).agents.find((each) => each.agent_id === name),
    );
    assert.equal((await play.agent(name)).power, 'Awake', 'a missing field is read as its default');
    await play.admin.rebootAgent(on(name));
    assert.equal((await writtenSpec(name))['power'], undefined, 'a reboot does not write power');
    assert.equal((await play.admin.suspendAgent(on(name))).power, 'Asleep');
    assert.equal((await play.admin.putAgentEntitlement({ ...on(name), policy: 'ByBalance' })).changed, false);
    const tier = {
      apiVersion: API_VERSION,
      kind: 'Entitlement',
      metadata: { name: 'pin', namespace },
      spec: { rank: 1, limits: { requestsPerMinute: 1, concurrentTools: 1, tokensPerHour: 1 } },
    };
    await kube.client.apply(ENTITLEMENTS, tier, { fieldManager: 'test' });
    await eventually('the tier', async () => (await play.admin.raw.getEntitlement({ name: 'pin' })).ok);
    await play.admin.putAgentEntitlement({ ...on(name), policy: 'Pinned', name: 'pin' });
    await apply(name, { displayName: 'Second' });
    const { displayName, power, entitlement } = await writtenSpec(name);
    assert.deepEqual([displayName, power, entitlement], ['Second', 'Asleep', { policy: 'Pinned', name: 'pin' }]);
    assert.equal((await play.admin.awakenAgent(on(name))).power, 'Awake');
  });

test('an Agent whose file wrote power still works, and the API can take the field over', async () => {
  await APPLIERS['kubectl apply']?.('old', { power: 'Awake', entitlement: { policy: 'ByBalance' } });
  await eventually('old in the world', async () => (await play.world()).agents.find((each) => each.agent_id === 'old'));
  await play.admin.rebootAgent(on('old'));
  await refuses(play.admin.suspendAgent(on('old')), 'field_owned_elsewhere');
  await play.admin.suspendAgent({ ...on('old'), on_conflict: 'take_over' });
  assert.equal((await play.admin.awakenAgent(on('old'))).power, 'Awake', 'the API owns the field from then on');
});

test('an unknown agent is refused', async () => {
  for (const route of ['awakenAgent', 'suspendAgent', 'rebootAgent'] as const)
    await refuses(play.admin[route](on('nobody')), 'no_such_agent');
});

test('a pod exchanges its token for one of its agent, life and cycle', async () => {
  const ada = await applyAgent('ada');
  await setStatus('ada', { cycle: 2 });
  const answer = await exchange(await podToken(ada, 'ada-2'));
  assert.deepEqual([answer.agent_id, answer.uid, answer.cycle], ['ada', ada.metadata.uid, 2]);
  const client = clientOf(play.url, answer.access_token);
  assert.equal((await client.getAgentConfig(on('ada'))).agent_id, 'ada');
  await setStatus('ada', { cycle: 3 });
  await refuses(client.moveAgent({ ...on('ada'), dx: 1, dy: 0 }), 'stale_cycle');
});

test('the exchange refuses a wrong audience, another service account, and a pod that is deleted, foreign or of an older cycle', async () => {
  const bob = await applyAgent('bob');
  await setStatus('bob', { cycle: 5 });
  await refuses(exchange(await podToken(bob, 'bob-6', { audiences: ['somebody-else'] })), 'token_review_refused');
  await refuses(exchange(await podToken(bob, 'bob-7', { serviceAccountName: 'default' })), 'token_review_refused');
  await refuses(exchange(await podToken(bob, 'bob-8', { owned: false })), 'token_not_from_pod');
  await refuses(exchange(await podToken(bob, 'bob-4')), 'stale_cycle');
  await refuses(exchange(await podToken(bob, 'impostor-5')), 'token_not_from_pod');
  const gone = await podToken(bob, 'bob-5');
  await kube.client.delete(PODS, { namespace, name: 'bob-5', graceSeconds: 0 });
  // The API server may accept the token of a deleted pod for up to a minute. Until then our own check of the pod refuses it.
  assert.match((await codeOf(exchange(gone))) ?? '', /^token_(not_from_pod|review_refused)$/);
});

test("only the operator's own projected token authenticates the operator", async () => {
  await kube.client.apply(
    SERVICE_ACCOUNTS,
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'hamlet-operator', namespace } },
    { fieldManager: 'test' },
  );
  const cleo = await applyAgent('cleo');
  const operator: TestClient = clientOf(
    play.url,
    await podToken(cleo, 'operator-1', { serviceAccountName: 'hamlet-operator', owned: false }),
  );
  for await (const event of operator.openInternalStream()) {
    assert.equal(event.event, 'reset');
    break;
  }
  const agent = await podToken(cleo, 'cleo-1');
  await refuses(clientOf(play.url, agent).suspendAgent(on('cleo')), 'token_invalid');
  await refuses(clientOf(play.url, TOKENS.operator).suspendAgent(on('cleo')), 'forbidden');
});
