/** Who gives way to whom, on a real API server, scheduler and controllers. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual, promisify } from 'node:util';
import { goodStanding } from '@hamlet/contract';
import type { EntitlementStatus } from '@hamlet/contract/kinds';
import { keyOf, NODES, PODS, type KubeObject, type NewObject, type ResourceType } from '@hamlet/kube';
import { until } from '@hamlet/test/env/until';
import { parseAllDocuments } from 'yaml';
import { AGENTS, ENTITLEMENTS } from '../agent/agents.ts';
import { testVillage, type TestVillage } from '../../testing/test-village.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const GPU = 'nvidia.com/gpu';
const PRIORITIES: ResourceType = { group: 'scheduling.k8s.io', version: 'v1', plural: 'priorityclasses', kind: 'PriorityClass' };

let v: TestVillage;

/** PriorityClasses as the chart makes them. */
async function priorityClasses(): Promise<readonly NewObject[]> {
  const { stdout: bin } = await promisify(execFile)(join(ROOT, 'cluster/build.sh'), ['--print-bin']);
  const { stdout } = await promisify(execFile)(join(bin.trim(), 'helm'), ['template', 'x', join(ROOT, 'charts/hamlet-crds'), '--show-only', 'templates/priority-classes.yaml']);
  return parseAllDocuments(stdout).map((document) => document.toJS() as NewObject | null).filter((object) => object !== null);
}

const size = (cpu: string, memory: string, more: object = {}): object => ({ resources: { cpu, memory }, ...more });

before(async () => {
  v = await testVillage();
  for (const object of await priorityClasses()) await v.server.client.apply(PRIORITIES, object, { fieldManager: 'test' });
  await v.addNode('sparky1', { cpu: '4500m', memory: '8Gi', pods: '110', [GPU]: '1' });
  await v.addNode('sparky2', { cpu: '4500m', memory: '8Gi', pods: '110', [GPU]: '1' });
  await v.createTier('tier-0', { rank: 0, compute: size('1', '1Gi', { priorityClassName: 'hamlet-tier-0' }) });
  await v.createTier('tier-1', { rank: 1, minBalance: '10', compute: size('2', '2Gi', { priorityClassName: 'hamlet-tier-1' }) });
  await v.createTier('grown', { rank: 3, minBalance: '200', compute: size('2', '2Gi', { priorityClassName: 'hamlet-tier-0' }) });
  await v.createTier('gpu', { rank: 2, minBalance: '100', compute: size('500m', '512Mi', { gpu: { mode: 'Exclusive', count: 1 }, priorityClassName: 'hamlet-tier-2' }) });
  await v.createTier('claimed', { rank: 2, minBalance: '100', compute: size('250m', '256Mi', { gpu: { mode: 'Exclusive', claimTemplateName: 'one-gpu' } }) });
  await v.startOperator();
});

after(async () => v.remove());

const as = (tier: string): object => ({ entitlement: { policy: 'Pinned', name: tier } });
const setPower = (name: string, power: 'Awake' | 'Asleep'): Promise<unknown> => v.server.client.mergePatch(AGENTS, { spec: { power } }, { namespace: v.namespace, name });

async function seatsOf(tier: string): Promise<EntitlementStatus> {
  const { status = {} } = await v.server.client.get<KubeObject & { readonly status?: EntitlementStatus }>(ENTITLEMENTS, { namespace: v.namespace, name: tier });
  return status;
}

function told(tier: string, wanted: { readonly total: number; readonly free: number; readonly agents: number }): Promise<EntitlementStatus> {
  return until(`${tier} tells ${JSON.stringify(wanted)}`, async () => {
    const status = await seatsOf(tier);
    return isDeepStrictEqual({ ...status.seats, agents: status.agents }, wanted) && status;
  });
}

async function remove(...names: readonly string[]): Promise<void> {
  for (const name of names) await v.server.client.delete(AGENTS, { namespace: v.namespace, name });
  await until('they are gone', async () => (await v.server.client.list<KubeObject>(PODS, { namespace: v.namespace, query: { labelSelector: 'hamlet.village/role=agent' } })).items.every(({ metadata }) => !names.some((name) => metadata.name.startsWith(`${name}-`))));
}

function foreignPod(name: string, cpu: string, spec: object): NewObject {
  const container = { name: 'main', image: 'x', resources: { requests: { cpu, memory: '64Mi' } } };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { terminationGracePeriodSeconds: 0, containers: [container], ...spec } } as unknown as NewObject;
}

const modelServer = (name: string, cpu: string): NewObject => {
  const pod = foreignPod(name, cpu, { priorityClassName: 'hamlet-model-server' });
  return { ...pod, metadata: { ...pod.metadata, labels: { 'hamlet.village/role': 'model-server' } } };
};

test('every seat taken: the newcomer waits with its place, a higher tier takes the seat of the lowest, and who waits gets it when it is free', async () => {
  const low = Array.from({ length: 8 }, (_, index) => `low-${index}`);
  for (const name of low) await v.createAgent(name);
  for (const name of low) await v.runningPod(name);
  await told('tier-0', { total: 8, free: 0, agents: 8 });
  await v.createAgent('late');
  assert.match(await v.condition('late', 'Admitted False NoSeat'), /no node has cpu left for a seat; place 1 in the queue/);
  await until('it is told since when it waits', async () => (await v.statusOf('late')).waitingSince !== undefined);
  assert.deepEqual(await v.podsOf('late'), []);
  await v.createAgent('mid', as('tier-1'));
  await v.runningPod('mid');
  const displaced = await until('two are displaced', async () => {
    const pods = await Promise.all(low.map(async (name) => ({ name, count: (await v.podsOf(name)).length })));
    const gone = pods.filter(({ count }) => count === 0);
    return gone.length === 2 && gone.map(({ name }) => name);
  });
  for (const name of displaced) await v.event(name, 'Displaced');
  await setPower('mid', 'Asleep');
  // The two seats are given out again, and the third of those who wait goes on waiting.
  const waiting = ['late', ...displaced];
  const pods = (): Promise<number> => Promise.all(waiting.map((name) => v.podsOf(name))).then((all) => all.flat().length);
  await until('two of three run', async () => (await pods()) === 2);
  await told('tier-0', { total: 8, free: 0, agents: 9 });
  assert.equal(await pods(), 2);
  await remove('late', 'mid', ...low);
});

interface Ending extends KubeObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly reason?: string }[] };
}

test('under pressure Kubernetes ends the lowest tier first, and never the model server; no agent ends another by itself', async () => {
  const { client } = v.server;
  const preempted = new Map<string, string>();
  const watch = new AbortController();
  const heard = (async () => {
    for await (const event of client.watch(PODS, { signal: watch.signal })) {
      const { object } = event as { readonly object: Ending };
      const target = object.status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
      if (target !== undefined) preempted.set(keyOf(object.metadata), target.reason ?? '');
    }
  })().catch(() => undefined);
  // One agent of each tier requests 500m, 1 and 250m of 4.5 cores on its node; nearly all of the rest is the first model server's.
  await client.mergePatch(NODES, { spec: { unschedulable: true } }, { name: 'sparky2' });
  await v.createAgent('prem-0');
  await v.createAgent('prem-1', as('tier-1'));
  await v.createAgent('prem-2', as('gpu'));
  for (const name of ['prem-0', 'prem-1', 'prem-2']) assert.equal((await v.runningPod(name)).spec.nodeName, 'sparky1');
  await client.create(PODS, modelServer('model-1', '2700m'), { namespace: 'default' });
  const isThere = async (name: string): Promise<boolean> => (await client.get<KubeObject & { readonly spec: { readonly nodeName?: string } }>(PODS, { namespace: 'default', name })).spec.nodeName === 'sparky1';
  await until('the first model server has its node', () => isThere('model-1'));
  // 50m are left. The second wants 400m: only the lowest tier has to go. It waits: for a seat, or with the pod that it got meanwhile for the scheduler.
  await client.create(PODS, modelServer('model-2', '400m'), { namespace: 'default' });
  await until('the second model server has its node', () => isThere('model-2'));
  assert.deepEqual([...preempted], [[`${v.namespace}/prem-0-1`, 'PreemptionByScheduler']]);
  await until('it waits', async () => ['NoSeat', 'Unschedulable'].includes((await v.statusOf('prem-0')).conditions?.find(({ type }) => type === 'Ready')?.reason ?? ''));
  // A third, for which the next tier has to go.
  await client.create(PODS, modelServer('model-3', '700m'), { namespace: 'default' });
  await until('the third model server has its node', () => isThere('model-3'));
  assert.deepEqual([...preempted.keys()].toSorted(), [`${v.namespace}/prem-0-1`, `${v.namespace}/prem-1-1`]);
  assert.deepEqual((await v.podsOf('prem-2')).length, 1, 'the highest tier stays');
  // Even the highest tier takes nothing from a model server: it waits.
  await v.createAgent('prem-3', as('tier-1'));
  await v.condition('prem-3', 'Ready False TooLarge');
  for (const name of ['model-1', 'model-2', 'model-3']) assert.equal(preempted.has(`default/${name}`), false);
  watch.abort();
  await heard;
});

test('a tier that the balance opens has to have room: until then the agent keeps what it has', async () => {
  await v.server.client.mergePatch(NODES, { spec: { unschedulable: null } }, { name: 'sparky2' });
  await remove('prem-0', 'prem-1', 'prem-2', 'prem-3');
  for (const name of ['model-1', 'model-2', 'model-3']) await v.server.client.delete(PODS, { namespace: 'default', name, graceSeconds: 0 });
  await v.server.client.create(PODS, foreignPod('db', '2', { nodeName: 'sparky1' }), { namespace: 'default' });
  await v.createAgent('rich', { placement: { nodeName: 'sparky1' } });
  await v.createAgent('peer', { placement: { nodeName: 'sparky1' }, ...as('tier-0') });
  const [before] = [await v.runningPod('rich'), await v.runningPod('peer')];
  v.village.say('standing', { ...goodStanding('rich'), balance_tier: 'grown' });
  // The higher tier displaces its neighbour and grows in place.
  await v.event('peer', 'Displaced');
  const grown = await until('rich has grown', async () => {
    const pod = await v.runningPod('rich');
    return pod.spec.containers[0]?.resources.limits['cpu'] === '2' && pod;
  });
  assert.equal(grown.metadata.uid, before.metadata.uid);
  // For the highest there is no room on its node, where nobody is lower.
  await v.createTier('huge', { rank: 9, minBalance: '1000', compute: size('3', '2Gi', { priorityClassName: 'hamlet-tier-0' }) });
  v.village.say('standing', { ...goodStanding('rich'), balance_tier: 'huge' });
  assert.match(await v.condition('rich', 'Resized False TooLarge'), /stays as it is/);
  assert.deepEqual((await v.podsOf('rich')).map(({ metadata, spec }) => [metadata.uid, spec.containers[0]?.resources.limits['cpu']]), [[before.metadata.uid, '2']]);
});
