/** The operator with the rights of its Role, on a real API server, scheduler and garbage collector. */
import assert from 'node:assert/strict';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { goodStanding } from '@hamlet/contract';
import { API_VERSION, type Agent } from '@hamlet/contract/kinds';
import type { KubeObject, NewObject, ResourceType } from '@hamlet/kube';
import { CLAIMS, isStatus, PODS, SERVICE_ACCOUNTS } from '@hamlet/kube';
import type { TestApiServer } from '@hamlet/test/env/api-server';
import { until } from '@hamlet/test/env/until';
import { AGENTS } from './objects/names.ts';
import { finalizerPolicy } from './rights/policies.ts';
import { STATUS_PATIENCE_MS } from './status/status-writer.ts';
import type { FakeVillage } from './testing/fake-village.ts';
import { testVillage, type TestVillage } from './testing/test-village.ts';

let v: TestVillage;
let server: TestApiServer;
let village: FakeVillage;
let namespace: string;

before(async () => {
  v = await testVillage();
  ({ server, village, namespace } = v);
  await v.addNode('sparky1');
  await v.createTier('tier-0', { rank: 0 });
  await v.startOperator();
});

after(async () => v.remove());

const patchAgent = (name: string, spec: object): Promise<unknown> =>
  server.client.mergePatch(AGENTS, { spec }, { namespace, name });
const agentNow = async (name: string): Promise<Agent & KubeObject> => server.client.get(AGENTS, { namespace, name });
const podNames = async (name: string): Promise<readonly string[]> =>
  (await v.podsOf(name)).map(({ metadata }) => metadata.name);

async function isGone(type: ResourceType, name: string): Promise<boolean> {
  return server.client.get(type, { namespace, name }).then(
    () => false,
    (error: unknown) => isStatus(error, 404),
  );
}

const present = (name: string, uid: string, cycle: number): void =>
  village.say('presence', { agent_id: name, uid, cycle, connected: true, last_seen: '2026-11-22T10:00:00.5Z' });

test('a new Agent gets a finalizer, a claim, a pod, a node and a session', async () => {
  const { metadata } = await v.createAgent('ada');
  await v.condition('ada', 'Connected False NotConnected');
  present('ada', metadata.uid, 1);
  await v.condition('ada', 'Ready True Ready');
  const { metadata: now, status } = await agentNow('ada');
  assert.deepEqual(now.finalizers, ['hamlet.village/account']);
  assert.deepEqual(
    [status?.cycle, status?.power, status?.tier, status?.nodeName, status?.podName, status?.lastSeen],
    [1, 'Awake', 'tier-0', 'sparky1', 'ada-1', '2026-11-22T10:00:00Z'],
  );
  assert.deepEqual(await podNames('ada'), ['ada-1']);
  assert.equal(status?.observedGeneration, now.generation);
});

test('suspending ends the pod and keeps the volume; awakening starts the next cycle with the same volume', async () => {
  const claim = await server.client.get<KubeObject>(CLAIMS, { namespace, name: 'ada-home' });
  await patchAgent('ada', { power: 'Asleep' });
  await v.condition('ada', 'Suspended True Asleep');
  await until('no pod', () => isGone(PODS, 'ada-1'));
  assert.equal((await v.statusOf('ada')).cycle, 2);
  await patchAgent('ada', { power: 'Asleep' });
  await patchAgent('ada', { power: 'Awake' });
  await until('the next pod', async () => (await podNames('ada')).includes('ada-3'));
  await patchAgent('ada', { power: 'Awake' });
  await v.condition('ada', 'Connected False NotConnected');
  assert.equal(
    (await server.client.get<KubeObject>(CLAIMS, { namespace, name: 'ada-home' })).metadata.uid,
    claim.metadata.uid,
  );
  assert.equal((await v.statusOf('ada')).cycle, 3);
});

test('one reboot request leads to one cycle', async () => {
  present('ada', (await agentNow('ada')).metadata.uid, 3);
  await v.condition('ada', 'Ready True Ready');
  await patchAgent('ada', { rebootedAt: '2026-11-22T10:00:00Z' });
  const { conditions = [], cycle } = await until('the cycle', async () => {
    const status = await v.statusOf('ada');
    return status.cycle === 4 && status;
  });
  assert.equal(cycle, 4);
  assert.notEqual(
    conditions.find(({ type }) => type === 'Ready')?.status,
    'True',
    'the new cycle is never shown with the session of the old one',
  );
  await until('the pod of the cycle', async () => (await podNames('ada')).join() === 'ada-4');
  await patchAgent('ada', { rebootedAt: '2026-11-22T10:00:00Z', displayName: 'Ada' });
  await until(
    'the new generation is seen',
    async () => (await v.statusOf('ada')).observedGeneration === (await agentNow('ada')).metadata.generation,
  );
  assert.equal((await v.statusOf('ada')).cycle, 4);
});

test('a pod that a person deletes is replaced under the next name', async () => {
  await server.client.delete(PODS, { namespace, name: 'ada-4' });
  await until('the pod of the cycle', async () => (await podNames('ada')).join() === 'ada-5');
});

test('a new operator takes over without changing anything', async () => {
  const status = await until('the cycle of the pod', async () => {
    const now = await v.statusOf('ada');
    return now.podName === 'ada-5' && now;
  });
  await v.stopOperator();
  await v.startOperator();
  const { uid } = (await agentNow('ada')).metadata;
  present('ada', uid, 5);
  await v.condition('ada', 'Ready True Ready');
  assert.deepEqual([(await v.statusOf('ada')).cycle, await podNames('ada')], [status.cycle, ['ada-5']]);
});

test('during an outage of the api its last state is kept; afterwards the stream is resumed', async () => {
  const before = village.resumed.length;
  village.hangUp();
  await until('the stream is opened again', async () => village.resumed.length > before);
  assert.match(village.resumed.at(-1) ?? '', /^e1:\d+$/);
  assert.equal((await v.statusOf('ada')).conditions?.find(({ type }) => type === 'Ready')?.status, 'True');
});

test('a quarantine ends the pod, and lifting it brings the agent back', async () => {
  const standing = { ...goodStanding('ada'), quarantined: true };
  village.say('standing', standing);
  await v.condition('ada', 'Quarantined True Quarantined');
  await v.condition('ada', 'Ready False Quarantined');
  await until('no pod', async () => (await podNames('ada')).length === 0);
  village.say('standing', { ...standing, quarantined: false });
  await until('a pod', async () => (await podNames('ada')).length === 1);
});

test('the status reports a missing tier, and creating the tier suffices', async () => {
  await v.createAgent('eve', { entitlement: { policy: 'Pinned', name: 'tier-9' } });
  assert.match(
    await v.condition('eve', 'Ready False EntitlementNotFound'),
    /"tier-9", and there is no such Entitlement/,
  );
  await v.createTier('tier-9', { rank: 9, minBalance: '10' });
  await until('a pod', async () => (await podNames('eve')).length === 1);
});

test('an agent pinned to a missing node has no pod, and its status reports the node', async () => {
  await v.createAgent('pin', { placement: { nodeName: 'sparky9' } });
  assert.match(
    await v.condition('pin', 'Ready False NodeClosed'),
    /node sparky9, the only node that the agent may use, is not ready or is closed to agents; place 1 in the queue/,
  );
  assert.deepEqual(await podNames('pin'), []);
});

test('deleting an Agent closes its account and removes pod and volume', async () => {
  const { metadata } = await agentNow('ada');
  await server.client.delete(AGENTS, { namespace, name: 'ada' });
  await until('the Agent is gone', () => isGone(AGENTS, 'ada'));
  assert.ok(village.closed.includes(`ada ${metadata.uid}`));
  await until('no claim', () => isGone(CLAIMS, 'ada-home'));
  await until('no pod', async () => (await podNames('ada')).length === 0);
});

test('with the policy of the chart, the API server adds the finalizer to a new Agent, so the operator does not', async () => {
  for (const { type, object } of finalizerPolicy(namespace))
    await server.client.apply(type, object, { fieldManager: 'test' });
  const asleep = { power: 'Asleep' };
  let made = 0;
  await until(
    'the policy is in force',
    async () => ((await v.createAgent(`early-${(made += 1)}`, asleep)).metadata.finalizers ?? []).length > 0,
  );
  const { metadata } = await v.createAgent('fin');
  assert.deepEqual(metadata.finalizers, ['hamlet.village/account']);
  await v.condition('fin', 'Connected False NotConnected');
  const { managedFields = [] } = (await agentNow('fin')).metadata as {
    readonly managedFields?: readonly { readonly manager: string; readonly subresource?: string }[];
  };
  assert.deepEqual(
    managedFields.flatMap(({ manager, subresource }) => (manager === 'hamlet-operator' ? [subresource] : [])),
    ['status'],
  );
  const another = {
    apiVersion: API_VERSION,
    kind: 'Agent',
    metadata: { name: 'foreign', finalizers: ['example.org/theirs'] },
    spec: asleep,
  };
  await server.client.create(AGENTS, another, { namespace });
  await until(
    'it has both',
    async () => (await agentNow('foreign')).metadata.finalizers?.join() === 'example.org/theirs,hamlet.village/account',
  );
  await server.client.mergePatch(
    AGENTS,
    { metadata: { finalizers: ['hamlet.village/account'] } },
    { namespace, name: 'foreign' },
  );
  const all = ['fin', 'foreign', ...Array.from({ length: made }, (_, index) => `early-${index + 1}`)];
  for (const name of all) await server.client.delete(AGENTS, { namespace, name });
  for (const name of all) await until(`${name} is gone`, () => isGone(AGENTS, name));
  assert.ok(village.closed.includes(`fin ${metadata.uid}`));
});

test('a new Agent of the same name begins at cycle 1 and takes over a retained volume', async () => {
  await v.createAgent('kit', { memory: { retain: 'Retain' } });
  await v.condition('kit', 'Connected False NotConnected');
  const { metadata: claim } = await server.client.get<KubeObject>(CLAIMS, { namespace, name: 'kit-home' });
  await server.client.delete(AGENTS, { namespace, name: 'kit' });
  await until('the Agent is gone', () => isGone(AGENTS, 'kit'));
  await v.createAgent('kit');
  await v.condition('kit', 'Connected False NotConnected');
  const { metadata: now } = await server.client.get<KubeObject>(CLAIMS, { namespace, name: 'kit-home' });
  assert.equal(now.uid, claim.uid);
  await until('the new Agent owns the volume claim', async () => {
    const { metadata } = await server.client.get<KubeObject>(CLAIMS, { namespace, name: 'kit-home' });
    return metadata.ownerReferences?.[0]?.uid === (await agentNow('kit')).metadata.uid;
  });
});

test('a volume claim of another owner stays unchanged, and the Agent reports it until the name is free', async () => {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const controlled = {
    ownerReferences: [
      {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        name: 'default',
        uid: (await server.client.get<KubeObject>(SERVICE_ACCOUNTS, { namespace, name: 'default' })).metadata.uid,
        controller: true,
      },
    ],
  };
  for (const [name, metadata] of [
    ['web', {}],
    ['shop', controlled],
  ] as const) {
    const theirs = await server.client.create<KubeObject>(
      CLAIMS,
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: `${name}-home`, ...metadata },
        spec,
      } as NewObject,
      { namespace },
    );
    await v.createAgent(name);
    assert.match(
      await v.condition(name, 'Ready False VolumeTaken'),
      new RegExp(`${name}-home was not created for this Agent`),
    );
    const now = await server.client.get<KubeObject>(CLAIMS, { namespace, name: `${name}-home` });
    assert.deepEqual(
      [now.metadata.uid, now.metadata.ownerReferences, now.metadata.deletionTimestamp, await podNames(name)],
      [theirs.metadata.uid, theirs.metadata.ownerReferences, undefined, []],
    );
  }
  await server.client.delete(AGENTS, { namespace, name: 'shop' });
  await until('the Agent is gone', () => isGone(AGENTS, 'shop'));
  assert.equal(
    (await server.client.get<KubeObject>(CLAIMS, { namespace, name: 'shop-home' })).metadata.deletionTimestamp,
    undefined,
  );
  await server.client.delete(CLAIMS, { namespace, name: 'web-home' });
  await until('a pod', async () => (await podNames('web')).length === 1);
  await server.client.delete(AGENTS, { namespace, name: 'web' });
  await until('the Agent is gone', () => isGone(AGENTS, 'web'));
});

test('the status reports a refusal of the API server, and the operator retries when it can succeed', async () => {
  await v.quota('none', { pods: '0' });
  await v.createAgent('late');
  assert.match(await v.condition('late', 'Ready False PodRefused'), /exceeded quota/);
  await v.removeQuota('none');
  await until('a pod', async () => (await podNames('late')).length === 1);
  await until('the cycle', async () => (await v.statusOf('late')).cycle === 1 && 'a refusal begins no cycle');
});

test('a new image reaches the agents one after another', async () => {
  const awake = ['eve', 'kit', 'late'];
  await v.stopOperator();
  await v.startOperator({ image: 'hamlet/agent:2' });
  const isNew = async (name: string): Promise<boolean> => {
    const { items } = await server.client.list<KubeObject & { spec: { containers: { image: string }[] } }>(PODS, {
      namespace,
      query: { labelSelector: `hamlet.village/agent=${name}` },
    });
    return items.some(
      ({ spec, metadata }) =>
        spec.containers[0]?.image === 'hamlet/agent:2' && metadata.deletionTimestamp === undefined,
    );
  };
  const upgraded = async (): Promise<string[]> =>
    (await Promise.all(awake.map(async (name) => ((await isNew(name)) ? [name] : [])))).flat();
  const seen: string[] = [];
  while (seen.length < awake.length) {
    const next = await until('one more', async () => (await upgraded()).find((name) => !seen.includes(name)));
    seen.push(next);
    assert.deepEqual((await upgraded()).toSorted(), seen.toSorted(), 'the next waits until this one is ready');
    const { metadata, status } = await until('its status', async () => {
      const agent = await agentNow(next);
      return (await podNames(next)).join() === agent.status?.podName && agent;
    });
    present(next, metadata.uid, status?.cycle ?? 0);
    await v.condition(next, 'Ready True Ready');
  }
});

test('the operator needed no rights beyond its Role, and writes nothing when nothing changes', async () => {
  assert.deepEqual(
    v.log.filter((line) => /forbidden/i.test(line) && !/exceeded quota/.test(line)),
    [],
  );
  const { metrics } = v;
  let before = -1;
  // The operator writes the last statuses and Events slightly later; after that nothing is left to write.
  await until('the operator is at rest', async () => metrics.writes() === before || void (before = metrics.writes()), {
    pauseMs: 2 * STATUS_PATIENCE_MS,
  });
  const reconciles = metrics.reconciles();
  await server.client.mergePatch(AGENTS, { metadata: { labels: { seen: 'yes' } } }, { namespace, name: 'late' });
  await until('one more reconcile', async () => metrics.reconciles() > reconciles);
  assert.equal(metrics.writes(), before);
});
