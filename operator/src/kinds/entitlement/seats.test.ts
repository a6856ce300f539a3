/** Seats and devices on a real API server, scheduler and controllers. */
import { handsIn, type TestVillage } from '../../testing/test-village.ts';
import assert from 'node:assert/strict';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { API_VERSION } from '@hamlet/contract/kinds';
import { NODES, PODS, type KubeObject, type NewObject, type ResourceType } from '@hamlet/kube';
import { until } from '@hamlet/test/env/until';
import { as, foreignPod, GPU, seatVillage, type SeatVillage } from '../../testing/seat-village.ts';
import { ENTITLEMENTS } from '../../objects/names.ts';

const dra = (plural: string, kind: string): ResourceType => ({ group: 'resource.k8s.io', version: 'v1', plural, kind });
const [SLICES, CLASSES, TEMPLATES, CLAIMS] = [
  dra('resourceslices', 'ResourceSlice'),
  dra('deviceclasses', 'DeviceClass'),
  dra('resourceclaimtemplates', 'ResourceClaimTemplate'),
  dra('resourceclaims', 'ResourceClaim'),
];

let v: TestVillage;
let seats: SeatVillage;

before(async () => {
  seats = await seatVillage();
  ({ v } = seats);
});

after(async () => v.remove());

test('an Entitlement shows its seats, which follow agents, foreign pods and nodes', async () => {
  const status = await seats.reported('tier-0', { total: 8, free: 8, agents: 0 });
  assert.deepEqual(
    status.conditions?.map(({ type, status: value, reason, message }) => [type, value, reason, message]),
    [
      [
        'Derived',
        'True',
        'Derived',
        'cpu 1 and memory 1Gi an agent, and cpu 100m and memory 256Mi for its resident, on 2 open nodes, after the requests of other pods and the reserve of each node',
      ],
    ],
  );
  await seats.reported('gpu', { total: 2, free: 2, agents: 0 });
  await until(
    'devices of a claim are not counted',
    async () => (await seats.seatsOf('claimed')).conditions?.[0]?.reason === 'DevicesNotCounted',
  );
  await v.createAgent('ada');
  await v.runningPod('ada');
  await seats.reported('tier-0', { total: 8, free: 7, agents: 1 });
  await v.server.client.create(PODS, foreignPod('db', '1600m', { nodeName: 'sparky1' }), { namespace: 'default' });
  await seats.reported('tier-0', { total: 6, free: 5, agents: 1 });
  await v.server.client.delete(PODS, { namespace: 'default', name: 'db', graceSeconds: 0 });
  await v.server.client.mergePatch(NODES, { spec: { unschedulable: true } }, { name: 'sparky2' });
  const { conditions } = await until('one node is open', async () => {
    const now = await seats.seatsOf('tier-0');
    return now.seats?.total === 4 && now;
  });
  assert.match(conditions?.[0]?.message ?? '', /on 1 open node,/);
  await v.server.client.mergePatch(NODES, { spec: { unschedulable: null } }, { name: 'sparky2' });
  await seats.reported('tier-0', { total: 8, free: 7, agents: 1 });
  await seats.removeAgents('ada');
});

test('a new or edited Entitlement shows the seats of its current spec, even if nothing else changes', async () => {
  const { client } = v.server;
  const spec = (cpu: string): object => ({
    rank: 9,
    minBalance: '1000000',
    limits: { requestsPerMinute: 1, concurrentTools: 1, tokensPerHour: 1 },
    compute: { resources: { cpu, memory: '256Mi' } },
  });
  await client.create(
    ENTITLEMENTS,
    { apiVersion: API_VERSION, kind: 'Entitlement', metadata: { name: 'late' }, spec: spec('1') } as NewObject,
    { namespace: v.namespace },
  );
  await seats.reported('late', { total: 8, free: 8, agents: 0 });
  await client.mergePatch(ENTITLEMENTS, { spec: spec('2') }, { namespace: v.namespace, name: 'late' });
  await seats.reported('late', { total: 4, free: 4, agents: 0 });
  await client.delete(ENTITLEMENTS, { namespace: v.namespace, name: 'late' });
});

test('devices are counted: each of two agents gets one, the third waits until one is free', async () => {
  for (const name of ['gina', 'gustav']) {
    await v.createAgent(name, as('gpu'));
    assert.equal(handsIn(await v.runningPod(name))?.resources.limits[GPU], '1');
  }
  await v.createAgent('gwen', as('gpu'));
  assert.match(
    await v.condition('gwen', 'Admitted False GpuBooked'),
    /every nvidia.com\/gpu is taken; place 1 in the queue/,
  );
  await seats.setPower('gina', 'Asleep');
  await v.runningPod('gwen');
  await seats.removeAgents('gina', 'gustav', 'gwen');
});

interface Claim extends KubeObject {
  readonly status?: {
    readonly allocation?: {
      readonly devices?: {
        readonly results?: readonly { readonly driver: string; readonly device: string; readonly pool: string }[];
      };
    };
  };
}

test('with device claims, the scheduler gives each pod its own device; a pod without one waits and is not replaced', async () => {
  const { client } = v.server;
  const api = { apiVersion: 'resource.k8s.io/v1' };
  await client.create(
    CLASSES,
    {
      ...api,
      kind: 'DeviceClass',
      metadata: { name: 'gb10' },
      spec: {
        selectors: [
          {
            cel: {
              expression: 'device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model == "GB10"',
            },
          },
        ],
      },
    },
    {},
  );
  for (const nodeName of ['sparky1', 'sparky2']) {
    const device = { name: 'gpu-0', attributes: { model: { string: 'GB10' } } };
    await client.create(
      SLICES,
      {
        ...api,
        kind: 'ResourceSlice',
        metadata: { name: `${nodeName}-gpus` },
        spec: {
          driver: 'gpu.example.com',
          nodeName,
          pool: { name: nodeName, generation: 1, resourceSliceCount: 1 },
          devices: [device],
        },
      },
      {},
    );
  }
  await client.create(
    TEMPLATES,
    {
      ...api,
      kind: 'ResourceClaimTemplate',
      metadata: { name: 'one-gpu' },
      spec: {
        spec: {
          devices: {
            requests: [{ name: 'gpu', exactly: { deviceClassName: 'gb10', allocationMode: 'ExactCount', count: 1 } }],
          },
        },
      },
    },
    { namespace: v.namespace },
  );
  for (const name of ['dora', 'dirk']) {
    await v.createAgent(name, as('claimed'));
    await v.runningPod(name);
  }
  const { items } = await client.list<Claim>(CLAIMS, { namespace: v.namespace });
  const given = items.map(({ status }) =>
    status?.allocation?.devices?.results?.map(({ driver, pool, device }) => `${driver} ${pool} ${device}`).join(),
  );
  assert.deepEqual(given.toSorted(), ['gpu.example.com sparky1 gpu-0', 'gpu.example.com sparky2 gpu-0']);
  await v.createAgent('dana', as('claimed'));
  assert.match(await v.condition('dana', 'PodScheduled False Unschedulable'), /cannot allocate all claims/);
  const [waiting] = await v.podsOf('dana');
  await seats.setPower('dora', 'Asleep');
  const now = await v.runningPod('dana');
  assert.equal(now.metadata.uid, waiting?.metadata.uid);
  await seats.removeAgents('dora', 'dirk', 'dana');
});
