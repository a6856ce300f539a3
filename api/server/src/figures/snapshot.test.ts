import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GpuReading } from './sources/dcgm.ts';
import type { PodReading } from './sources/kubelet-summary.ts';
import type { NodeReading } from './sources/kubelets.ts';
import { NO_FIGURES, Snapshot, stepFigures, type Readings } from './snapshot.ts';

const residents = {
  namespace: 'village',
  agentOf: (on: string, name: string) => (on === 'box1' && name === 'ada-3' ? 'ada' : undefined),
};
const AT = '2026-11-30T01:00:15.000Z';

/** `at` is `NAMESPACE/NAME`. */
const pod = (at: string, seconds: number, memoryBytes = 100): PodReading => ({
  namespace: at.split('/')[0] ?? '',
  name: at.split('/')[1] ?? '',
  uid: at,
  cpu: { atMs: seconds * 1_000, value: seconds * 5e8 },
  received: { atMs: seconds * 1_000, value: seconds * 20 },
  sent: { atMs: seconds * 1_000, value: 0 },
  memoryBytes,
  diskBytes: 7,
});

const node = (seconds: number, pods: readonly PodReading[]): NodeReading => ({
  name: 'box1',
  ready: true,
  cores: 20,
  memoryBytes: 1_000,
  problem: null,
  summary: {
    cpu: { atMs: seconds * 1_000, value: seconds * 2e9 },
    received: null,
    sent: null,
    memoryAvailableBytes: 800,
    diskTotalBytes: 50,
    diskAvailableBytes: 20,
    cpuPressure: 1,
    memoryPressure: 2,
    ioPressure: null,
    pods,
  },
});

const GPU: GpuReading = {
  id: '0',
  node: 'box1',
  model: 'NVIDIA GB10',
  busyPercent: 60,
  memoryUsedBytes: null,
  memoryTotalBytes: null,
  temperatureCelsius: 70,
  powerWatts: 90,
  pods: [
    { namespace: 'village', name: 'ada-3' },
    { namespace: 'other', name: 'ada-3' },
  ],
};
const HOST = {
  at: AT,
  totalBytes: 1_100,
  availableBytes: 300,
  cpuPressure: null,
  memoryPressure: 9,
  memoryStalled: null,
  ioPressure: 4,
  temperatureCelsius: 55,
};
const nothing = { gpus: [], hosts: new Map() };
const step = (readings: Readings, before = NO_FIGURES, at = AT) => stepFigures(before, readings, { residents, at });
const unreachable = { reason: 'unreachable', fix: 'x' } as const;

test('an agent has the figures of the pod of its cycle, and rates from the second reading on', () => {
  const pods = (seconds: number) => [
    pod('village/ada-3', seconds),
    pod('village/ada-2', seconds),
    pod('other/ada-3', seconds),
  ];
  const first = step({ ...nothing, nodes: [node(0, pods(0))] });
  assert.deepEqual(
    first.agents.map(({ agent_id, cpu_cores }) => [agent_id, cpu_cores]),
    [['ada', null]],
  );
  const second = step({ nodes: [node(15, pods(15))], gpus: [GPU], hosts: new Map([['box1', HOST]]) }, first);
  assert.deepEqual(second.agents, [
    {
      agent_id: 'ada',
      node: 'box1',
      at: AT,
      cpu_cores: 0.5,
      memory_bytes: 100,
      disk_bytes: 7,
      received_per_s: 20,
      sent_per_s: 0,
      gpu_percent: 60,
    },
  ]);
  assert.deepEqual(second.nodes[0]?.gpus[0]?.agent_ids, ['ada']);
  assert.equal(second.nodes[0]?.cpu.used_cores, 2);
  assert.deepEqual(Snapshot.parse(JSON.parse(JSON.stringify(second))), second);
});

test('a kubelet or an exporter reports no agent of another node', () => {
  const other = { ...node(15, [pod('village/ada-3', 15)]), name: 'box2' };
  const { agents, nodes } = step({ ...nothing, nodes: [other], gpus: [{ ...GPU, node: 'box2' }] });
  assert.deepEqual([agents, nodes[0]?.gpus[0]?.agent_ids], [[], []]);
  assert.deepEqual(nodes[0]?.users, [{ kind: 'village', name: 'ada-3', cpu_cores: null, memory_bytes: 100 }]);
});

test("the kernel's count of memory replaces the kubelet's, which misses the memory of a GPU", () => {
  const nodes = [node(0, [])];
  assert.deepEqual(step({ ...nothing, nodes }).nodes[0]?.memory, {
    total_bytes: 1_000,
    available_bytes: 800,
    source: 'kubelet',
    pressure_percent: 2,
  });
  const { memory, cpu, disk } = step({ ...nothing, nodes, hosts: new Map([['box1', HOST]]) }).nodes[0] ?? {};
  assert.deepEqual(memory, { total_bytes: 1_100, available_bytes: 300, source: 'kernel', pressure_percent: 9 });
  assert.deepEqual([cpu?.pressure_percent, disk?.pressure_percent], [1, 4]);
});

test('the users of a node: agents, other pods of the village, and one line for each other namespace', () => {
  const pods = [
    pod('village/ada-3', 0, 10),
    pod('village/hamlet-postgres-0', 0, 20),
    pod('models/vllm-0', 0, 400),
    pod('models/vllm-1', 0, 500),
  ];
  const { users, pods: count } = step({ ...nothing, nodes: [node(0, pods)] }).nodes[0] ?? { users: [] };
  assert.deepEqual(
    users.map(({ kind, name, memory_bytes: memory }) => [kind, name, memory]),
    [
      ['namespace', 'models', 900],
      ['village', 'hamlet-postgres-0', 20],
      ['agent', 'ada', 10],
    ],
  );
  assert.equal(count, 4);
  const many = Array.from({ length: 40 }, (_, at) => pod(`village/part-${at}`, 0, at));
  assert.equal(step({ ...nothing, nodes: [node(0, many)] }).nodes[0]?.users.length, 24);
});

test('after a failed reading, the last figures stay with their time and the reason; agents wait for the next reading', () => {
  const before = step({ ...nothing, nodes: [node(0, [pod('village/ada-3', 0)])] });
  const failed: NodeReading = { ...node(15, []), ready: false, summary: null, problem: unreachable };
  const after = step(
    { ...nothing, nodes: [failed], hosts: new Map([['box1', HOST]]) },
    before,
    '2026-11-30T01:00:30.000Z',
  );
  const [kept] = after.nodes;
  assert.deepEqual([kept?.at, kept?.ready, kept?.problem, kept?.pods], [AT, false, unreachable, 1]);
  assert.equal(kept?.memory.available_bytes, 300, 'the kernel still reports');
  assert.deepEqual([after.agents, after.meters], [[], {}]);
  assert.equal(step({ ...nothing, nodes: [failed] }).nodes[0]?.at, null, 'without an earlier reading');
});

test('figures of a node that is gone end', () => {
  const before = step({ ...nothing, nodes: [node(0, [pod('village/ada-3', 0)])] });
  assert.deepEqual(step({ ...nothing, nodes: [] }, before), NO_FIGURES);
});
