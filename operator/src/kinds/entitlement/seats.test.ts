/** Seats and devices on a real API server, scheduler and controllers. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual, promisify } from 'node:util';
import type { EntitlementStatus } from '@hamlet/contract/kinds';
import { NODES, PODS, type KubeObject, type NewObject, type ResourceType } from '@hamlet/kube';
import { until } from '@hamlet/test/env/until';
import { parseAllDocuments } from 'yaml';
import { AGENTS, ENTITLEMENTS } from '../agent/agents.ts';
import { testVillage, type TestVillage } from '../../testing/test-village.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const GPU = 'nvidia.com/gpu';
const dra = (plural: string, kind: string): ResourceType => ({ group: 'resource.k8s.io', version: 'v1', plural, kind });
const [SLICES, CLASSES, TEMPLATES, CLAIMS] = [dra('resourceslices', 'ResourceSlice'), dra('deviceclasses', 'DeviceClass'), dra('resourceclaimtemplates', 'ResourceClaimTemplate'), dra('resourceclaims', 'ResourceClaim')];
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

test('an Entitlement tells its seats, which follow agents, foreign pods and nodes', async () => {
  const status = await told('tier-0', { total: 8, free: 8, agents: 0 });
  assert.deepEqual(status.conditions?.map(({ type, status: value, reason, message }) => [type, value, reason, message]), [
    ['Derived', 'True', 'Derived', 'cpu 1 and memory 1Gi an agent on 2 open nodes, less what other pods request and what each node keeps'],
  ]);
  await told('gpu', { total: 2, free: 2, agents: 0 });
  await until('devices of a claim are not counted', async () => (await seatsOf('claimed')).conditions?.[0]?.reason === 'DevicesNotCounted');
  await v.createAgent('ada');
  await v.runningPod('ada');
  await told('tier-0', { total: 8, free: 7, agents: 1 });
  await v.server.client.create(PODS, foreignPod('db', '1600m', { nodeName: 'sparky1' }), { namespace: 'default' });
  await told('tier-0', { total: 6, free: 5, agents: 1 });
  await v.server.client.delete(PODS, { namespace: 'default', name: 'db', graceSeconds: 0 });
  await v.server.client.mergePatch(NODES, { spec: { unschedulable: true } }, { name: 'sparky2' });
  const { conditions } = await until('one node is open', async () => {
    const now = await seatsOf('tier-0');
    return now.seats?.total === 4 && now;
  });
  assert.match(conditions?.[0]?.message ?? '', /on 1 open node,/);
  await v.server.client.mergePatch(NODES, { spec: { unschedulable: null } }, { name: 'sparky2' });
  await told('tier-0', { total: 8, free: 7, agents: 1 });
  await remove('ada');
});

function foreignPod(name: string, cpu: string, spec: object): NewObject {
  const container = { name: 'main', image: 'x', resources: { requests: { cpu, memory: '64Mi' } } };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { terminationGracePeriodSeconds: 0, containers: [container], ...spec } } as unknown as NewObject;
}

test('devices are counted: one agent each, the third waits until one is free', async () => {
  for (const name of ['gina', 'gustav']) {
    await v.createAgent(name, as('gpu'));
    assert.equal((await v.runningPod(name)).spec.containers[0]?.resources.limits[GPU], '1');
  }
  await v.createAgent('gwen', as('gpu'));
  assert.match(await v.condition('gwen', 'Admitted False GpuBooked'), /every nvidia.com\/gpu is taken; place 1 in the queue/);
  await setPower('gina', 'Asleep');
  await v.runningPod('gwen');
  await remove('gina', 'gustav', 'gwen');
});

interface Claim extends KubeObject {
  readonly status?: { readonly allocation?: { readonly devices?: { readonly results?: readonly { readonly driver: string; readonly device: string; readonly pool: string }[] } } };
}

test('devices by claim: the scheduler gives each pod its own, holds who finds none, and nobody is made anew for waiting', async () => {
  const { client } = v.server;
  const api = { apiVersion: 'resource.k8s.io/v1' };
  await client.create(CLASSES, { ...api, kind: 'DeviceClass', metadata: { name: 'gb10' }, spec: { selectors: [{ cel: { expression: 'device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model == "GB10"' } }] } }, {});
  for (const nodeName of ['sparky1', 'sparky2']) {
    const device = { name: 'gpu-0', attributes: { model: { string: 'GB10' } } };
    await client.create(SLICES, { ...api, kind: 'ResourceSlice', metadata: { name: `${nodeName}-gpus` }, spec: { driver: 'gpu.example.com', nodeName, pool: { name: nodeName, generation: 1, resourceSliceCount: 1 }, devices: [device] } }, {});
  }
  await client.create(TEMPLATES, { ...api, kind: 'ResourceClaimTemplate', metadata: { name: 'one-gpu' }, spec: { spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gb10', allocationMode: 'ExactCount', count: 1 } }] } } } }, { namespace: v.namespace });
  for (const name of ['dora', 'dirk']) {
    await v.createAgent(name, as('claimed'));
    await v.runningPod(name);
  }
  const { items } = await client.list<Claim>(CLAIMS, { namespace: v.namespace });
  const given = items.map(({ status }) => status?.allocation?.devices?.results?.map(({ driver, pool, device }) => `${driver} ${pool} ${device}`).join());
  assert.deepEqual(given.toSorted(), ['gpu.example.com sparky1 gpu-0', 'gpu.example.com sparky2 gpu-0']);
  await v.createAgent('dana', as('claimed'));
  assert.match(await v.condition('dana', 'PodScheduled False Unschedulable'), /cannot allocate all claims/);
  const [waiting] = await v.podsOf('dana');
  await setPower('dora', 'Asleep');
  const now = await v.runningPod('dana');
  assert.equal(now.metadata.uid, waiting?.metadata.uid);
  await remove('dora', 'dirk', 'dana');
});
