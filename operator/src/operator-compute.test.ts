/**
 * Tiers, standing, seats and nodes on a real API server, scheduler and taint manager, with the rights of the operator.
 */
import { pluck } from '@hamlet/test/env/pluck';
import assert from 'node:assert/strict';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { goodStanding, type Standing } from '@hamlet/contract';
import type { EntitlementStatus } from '@hamlet/contract/kinds';
import { NODES, PODS, type KubeObject, type ResourceType } from '@hamlet/kube';
import { until } from '@hamlet/test/env/until';
import { ENTITLEMENTS } from './objects/names.ts';
import type { FakeKubelet } from './testing/fake-kubelet.ts';
import { handsIn, testVillage, type PodOfAgent, type TestVillage } from './testing/test-village.ts';

const POLICIES_API = 'admissionregistration.k8s.io/v1';
const POLICIES: ResourceType = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'validatingadmissionpolicies',
  kind: 'ValidatingAdmissionPolicy',
};
const BINDINGS: ResourceType = {
  ...POLICIES,
  plural: 'validatingadmissionpolicybindings',
  kind: 'ValidatingAdmissionPolicyBinding',
};

let v: TestVillage;
let sparky1: FakeKubelet;
let sparky2: FakeKubelet;

before(async () => {
  v = await testVillage();
  sparky1 = await v.addNode('sparky1', { cpu: '16', memory: '64Gi', pods: '110', 'nvidia.com/gpu': '4' });
  sparky2 = await v.addNode('sparky2', { cpu: '16', memory: '64Gi', pods: '110' });
  await v.createTier('tier-0', { rank: 0 });
  await v.createTier('tier-1', { rank: 1, minBalance: '10', compute: { resources: { cpu: '1', memory: '1Gi' } } });
  await v.createTier('tier-2', {
    rank: 2,
    minBalance: '100',
    compute: { resources: { cpu: '1', memory: '1Gi' }, gpu: { mode: 'Shared', count: 1 } },
  });
  await v.createTier('tier-9', { rank: 9, minBalance: '1000', compute: { resources: { cpu: '3', memory: '1Gi' } } });
  await v.startOperator();
});

after(async () => v.remove());

const say = (agentId: string, parts: Partial<Standing>): void =>
  v.village.say('standing', { ...goodStanding(agentId), ...parts });
/** The limits without the disk, which is the same in every tier. */
function limitsOf(pod: PodOfAgent): object {
  const { 'ephemeral-storage': disk, ...limits } = handsIn(pod)?.resources.limits ?? {};
  assert.equal(disk, '4Gi');
  return limits;
}

const givenOf = ({ status }: PodOfAgent): unknown =>
  status?.containerStatuses?.find(({ name }) => name === 'hands')?.resources;

/** Waits until the pod of an agent has these limits, both in its spec and as its node reports. */
function sized(name: string, limits: Readonly<Record<string, string>>): Promise<PodOfAgent> {
  return until(`${name} has ${JSON.stringify(limits)}`, async () => {
    const pod = await v.runningPod(name);
    const isGiven = JSON.stringify(givenOf(pod)) === JSON.stringify(handsIn(pod)?.resources);
    return JSON.stringify(limitsOf(pod)) === JSON.stringify(limits) && isGiven && pod;
  });
}

test('a higher tier makes the pod larger while it runs: the same pod, the same container, no restart', async () => {
  await v.createAgent('ada');
  const before = await v.runningPod('ada');
  await v.condition('ada', 'Resized True AsEntitled');
  say('ada', { balance_tier: 'tier-1' });
  const after = await sized('ada', { cpu: '1', memory: '1Gi' });
  assert.equal(after.metadata.uid, before.metadata.uid);
  assert.deepEqual(
    pluck(after.status?.containerStatuses ?? [], 'containerID', 'restartCount'),
    before.status?.containerStatuses?.map(({ containerID }) => [containerID, 0]),
  );
  assert.deepEqual(handsIn(after)?.resources.requests, { cpu: '500m', memory: '512Mi', 'ephemeral-storage': '64Mi' });
  await until('the tier is in the status', async () => (await v.statusOf('ada')).tier === 'tier-1');
  assert.match(await v.event('ada', 'Resized'), /tier-1: cpu 1, memory 1Gi/);
  assert.match(await v.event('ada', 'TierChanged'), /from tier-0 to tier-1/);
  assert.equal((await v.statusOf('ada')).cycle, 1);
});

test('a lower tier makes the pod smaller again', async () => {
  const before = await v.runningPod('ada');
  say('ada', { balance_tier: 'tier-0' });
  assert.equal((await sized('ada', { cpu: '500m', memory: '512Mi' })).metadata.uid, before.metadata.uid);
});

test('an edited tier resizes all its agents', async () => {
  const before = await v.runningPod('ada');
  const { client } = v.server;
  await client.mergePatch(
    ENTITLEMENTS,
    { spec: { compute: { resources: { cpu: '600m' } } } },
    { namespace: v.namespace, name: 'tier-0' },
  );
  assert.equal((await sized('ada', { cpu: '600m', memory: '512Mi' })).metadata.uid, before.metadata.uid);
});

test('a tier with a GPU needs another pod: the next cycle, the same volume', async () => {
  const before = await v.runningPod('ada');
  say('ada', { balance_tier: 'tier-2' });
  const after = await until('another pod', async () => {
    const pod = await v.runningPod('ada');
    return pod.metadata.uid !== before.metadata.uid && pod;
  });
  assert.equal(after.spec.nodeName, 'sparky1');
  assert.deepEqual(limitsOf(after), { cpu: '1', memory: '1Gi', 'nvidia.com/gpu': '1' });
  assert.equal(after.metadata.name, 'ada-2');
  await v.event('ada', 'TierChanged');
  say('ada', { balance_tier: 'tier-0' });
  await until('a pod of the former tier', async () =>
    (await v.podsOf('ada')).some(({ metadata }) => metadata.name === 'ada-3'),
  );
});

test('a GPU window gives the agent another pod with the same volume, and its end another pod again', async () => {
  const before = await v.runningPod('ada');
  const volumes = ({ spec }: PodOfAgent): unknown =>
    spec.volumes?.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
  const gpus = (limits: Readonly<Record<string, unknown>>): unknown => limits['nvidia.com/gpu'];
  const nextPod = (what: string, wanted: string | undefined): Promise<PodOfAgent> =>
    until(what, async () => {
      const pod = await v.runningPod('ada');
      return gpus({ ...limitsOf(pod) }) === wanted && pod;
    });
  v.village.say('boost', {
    agent_id: 'ada',
    priority: false,
    gpu: { resource_name: 'nvidia.com/gpu', count: 2 },
    until: '2999-01-01T00:00:00Z',
  });
  const during = await nextPod('a pod with the GPUs of the window', '2');
  assert.notEqual(during.metadata.uid, before.metadata.uid);
  assert.deepEqual(volumes(during), volumes(before));
  await until('the tier is the former one', async () => (await v.statusOf('ada')).tier === 'tier-0');
  await v.event('ada', 'GpuWindow');
  v.village.say('boost', { agent_id: 'ada', priority: false, gpu: null, until: null });
  const back = await nextPod('a pod without them', undefined);
  assert.deepEqual(volumes(back), volumes(before));
});

test('a pod is replaced, with a reason, if its resize is refused but a new pod of that size is accepted', async () => {
  const { client } = v.server;
  const constraints = {
    resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['pods/resize'] }],
  };
  const policy = {
    apiVersion: POLICIES_API,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'no-resize' },
    spec: { matchConstraints: constraints, validations: [{ expression: 'false', message: 'too much cpu' }] },
  };
  await v.createAgent('bob');
  await v.runningPod('bob');
  await client.create(POLICIES, policy, {});
  await client.create(
    BINDINGS,
    {
      apiVersion: POLICIES_API,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: 'no-resize' },
      spec: { policyName: 'no-resize', validationActions: ['Deny'] },
    },
    {},
  );
  const isInForce = async (): Promise<boolean> => {
    const pod = await v.runningPod('bob');
    const patch = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: pod.metadata.name, namespace: v.namespace },
      spec: { containers: [{ name: 'hands', resources: handsIn(pod)?.resources }] },
    };
    return client.apply(PODS, patch, { fieldManager: 'test', subresource: 'resize' }).then(
      () => false,
      (error: unknown) => String(error).includes('too much cpu'),
    );
  };
  await until('the policy is in force', isInForce);
  say('bob', { balance_tier: 'tier-9' });
  await v.event('bob', 'ResizeRefused', /cannot be resized while it runs/);
  assert.equal((await sized('bob', { cpu: '3', memory: '1Gi' })).metadata.name, 'bob-2');
  await client.delete(BINDINGS, { name: 'no-resize' });
  await client.delete(POLICIES, { name: 'no-resize' });
  // The API server reads its policies from a cache, which is slightly delayed.
  await until('the policy is over', async () => !(await isInForce()));
  say('bob', {});
  await sized('bob', { cpu: '600m', memory: '512Mi' });
});

test('an agent whose growth a quota prevents keeps its pod, and grows once the quota allows it', async () => {
  await v.condition('bob', 'Resized True AsEntitled');
  const before = await v.runningPod('bob');
  await v.quota('tight', { 'limits.cpu': '2' });
  say('bob', { balance_tier: 'tier-9' });
  assert.match(await v.condition('bob', 'Resized False ResizeRefused'), /exceeded quota/);
  assert.equal((await v.runningPod('bob')).metadata.uid, before.metadata.uid);
  await v.removeQuota('tight');
  assert.equal((await sized('bob', { cpu: '3', memory: '1Gi' })).metadata.uid, before.metadata.uid);
});

test('a pod is replaced if its node does not apply a smaller size', async () => {
  const before = await v.runningPod('bob');
  for (const kubelet of [sparky1, sparky2]) kubelet.setResizes('hangs');
  say('bob', { balance_tier: 'tier-1' });
  await v.condition('bob', 'Resized False Resizing');
  await v.event('bob', 'ResizeTimedOut');
  for (const kubelet of [sparky1, sparky2]) kubelet.setResizes('applies');
  assert.notEqual((await sized('bob', { cpu: '1', memory: '1Gi' })).metadata.uid, before.metadata.uid);
});

test("freezing, banning or killing ends the pod with the admin's reason; lifting the measure brings it back", async () => {
  for (const [flag, reason] of [
    ['frozen', 'Frozen'],
    ['banned', 'Banned'],
    ['killed', 'Killed'],
  ] as const) {
    await v.runningPod('bob');
    say('bob', { [flag]: true, reason: 'enough' });
    assert.match(await v.condition('bob', `Ready False ${reason}`), /the reason of the admin: enough/);
    await until('no pod', async () => (await v.podsOf('bob')).length === 0);
    assert.match(await v.event('bob', reason), /enough/);
    say('bob', {});
    await v.runningPod('bob');
  }
  await v.event('bob', 'StandingLifted');
});

test('revoking the tokens keeps the pod, and a condition reports it', async () => {
  const before = await v.runningPod('bob');
  say('bob', { token_revoked: true, reason: 'leaked' });
  assert.match(await v.condition('bob', 'Connected False TokenRevoked'), /leaked/);
  assert.equal((await v.runningPod('bob')).metadata.uid, before.metadata.uid);
  say('bob', {});
  await v.condition('bob', 'Connected False NotConnected');
});

test('a failure of the hands that the node reports becomes a condition and an Event', async () => {
  const { metadata, status } = await v.runningPod('bob');
  await v.condition('bob', 'HandsReady True HandsRunning');
  const at = { namespace: v.namespace, name: metadata.name, subresource: 'status' } as const;
  const lastState = {
    terminated: {
      reason: 'OOMKilled',
      exitCode: 137,
      startedAt: '2026-11-22T09:58:00Z',
      finishedAt: '2026-11-22T09:59:00Z',
    },
  };
  const report = (state: object): Promise<unknown> => {
    const containerStatuses = status?.containerStatuses?.map((each) =>
      each.name === 'hands' ? { ...each, restartCount: 3, state, lastState } : each,
    );
    return v.server.client.mergePatch(PODS, { status: { containerStatuses } }, at);
  };
  await report({ waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container' } });
  assert.match(await v.condition('bob', 'HandsReady False HandsOutOfMemory'), /restarts: 3; the node waits/);
  assert.match(await v.event('bob', 'HandsOutOfMemory'), /OOMKilled with exit code 137 at 2026-11-22T09:59:00Z/);
  await report({ running: { startedAt: '2026-11-22T10:00:00Z' } });
  assert.match(await v.condition('bob', 'HandsReady True HandsOutOfMemory'), /they run again/);
});

test('while the api does not answer a new leader, running agents continue, barred agents stay barred, and no new agent starts', async () => {
  const ada = await v.runningPod('ada');
  say('bob', { frozen: true, reason: 'enough' });
  await v.condition('bob', 'Ready False Frozen');
  await until('no pod', async () => (await v.podsOf('bob')).length === 0);
  await v.stopOperator();
  v.village.setAway(true);
  await v.startOperator();
  await v.createAgent('eve');
  await v.condition('eve', 'Ready False ApiUnreachable');
  assert.equal((await v.podsOf('eve')).length, 0);
  assert.equal((await v.podsOf('bob')).length, 0);
  assert.equal((await v.runningPod('ada')).metadata.uid, ada.metadata.uid);
  v.village.setAway(false);
  await v.runningPod('eve');
  assert.equal((await v.podsOf('bob')).length, 0, 'the repeated report changes nothing');
  say('bob', {});
  await v.runningPod('bob');
});

test('after a drain, the agent waits for the node of its volume, and then runs there again with one new pod', async () => {
  const before = await v.runningPod('eve');
  const { nodeName = '' } = before.spec;
  const cordon = (unschedulable: boolean | null): Promise<unknown> =>
    v.server.client.mergePatch(NODES, { spec: { unschedulable } }, { name: nodeName });
  await cordon(true);
  const { name } = before.metadata;
  await until(
    'the node is closed',
    async () =>
      (await v.server.client.get<KubeObject & { spec: { taints?: object[] } }>(NODES, { name: nodeName })).spec
        .taints !== undefined,
  );
  const openNodes = async (): Promise<string> =>
    (
      await v.server.client.get<KubeObject & { status?: EntitlementStatus }>(ENTITLEMENTS, {
        namespace: v.namespace,
        name: 'tier-0',
      })
    ).status?.conditions?.[0]?.message ?? '';
  await until('the operator knows of the cordoned node', async () => (await openNodes()).includes('on 1 open node,'));
  await v.server.client.create(
    PODS,
    { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: v.namespace } },
    { namespace: v.namespace, name, subresource: 'eviction' },
  );
  await v.event('eve', 'NodeDrained');
  // The operator may have created the next pod before it recounted the seats; that pod waits for the scheduler.
  const waiting = await until('eve waits for the node', async () =>
    (await v.statusOf('eve')).conditions?.find(
      ({ type, reason }) => type === 'Ready' && ['NodeClosed', 'VolumePinned'].includes(reason),
    ),
  );
  assert.match(waiting.message, new RegExp(`node ${nodeName}, .*(closed to agents|is cordoned)`));
  await cordon(null);
  const after = await v.runningPod('eve');
  assert.deepEqual([before.metadata.name, after.metadata.name], ['eve-1', 'eve-2']);
  assert.equal(after.spec.nodeName, nodeName);
});

test('agents spread over the nodes, and stay on the node that they are pinned to', async () => {
  for (const name of ['one', 'two', 'three', 'four'])
    await v.createAgent(name, { placement: { spread: 'Required', onNodeLoss: 'MoveWithoutVolume' } });
  const nodes = await Promise.all(
    ['one', 'two', 'three', 'four'].map(async (name) => (await v.runningPod(name)).spec.nodeName),
  );
  assert.deepEqual(new Set(nodes), new Set(['sparky1', 'sparky2']));
  for (const name of ['pin-1', 'pin-2', 'pin-3']) await v.createAgent(name, { placement: { nodeName: 'sparky2' } });
  for (const name of ['pin-1', 'pin-2', 'pin-3']) assert.equal((await v.runningPod(name)).spec.nodeName, 'sparky2');
});

test('agents report their lost node in the status; those with MoveWithoutVolume run elsewhere, others wait with one pod', async () => {
  const movable = await until('an agent of sparky2 that may go elsewhere', async () => {
    for (const name of ['one', 'two', 'three', 'four'])
      if ((await v.runningPod(name)).spec.nodeName === 'sparky2') return name;
    return false;
  });
  await sparky2.lose();
  assert.match(await v.condition(movable, 'Connected False NodeLost'), /sparky2 does not answer/);
  await v.event(movable, 'VolumeAbandoned');
  const moved = await until('a pod elsewhere', async () =>
    (await v.podsOf(movable)).find(({ status }) => status?.phase === 'Running'),
  );
  assert.equal(moved.spec.nodeName, 'sparky1');
  await until('the pinned agent waits', async () => {
    const ready = (await v.statusOf('pin-1')).conditions?.find(({ type }) => type === 'Ready');
    return ready?.status === 'False' && ['NodeLost', 'NodeClosed', 'VolumePinned'].includes(ready.reason);
  });
  assert.ok((await v.podsOf('pin-1')).length <= 1);
});

test('the operator needed no rights beyond its own', () => {
  // Conflicts ("cannot be fulfilled") are expected, because the operator retries them.
  assert.deepEqual(
    v.log.filter((line) => /is forbidden: User/.test(line)),
    [],
  );
});
