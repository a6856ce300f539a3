import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSummary } from './kubelet-summary.ts';

const AT = '2026-11-30T01:02:03Z';
const psi = (avg60: number) => ({
  some: { total: 1, avg10: 0, avg60, avg300: 0 },
  full: { total: 1, avg10: 0, avg60: 0, avg300: 0 },
});
const NODE = {
  nodeName: 'sparky1',
  startTime: AT,
  cpu: { time: AT, usageNanoCores: 5, usageCoreNanoSeconds: 7e15, psi: psi(3.5) },
  memory: { time: AT, availableBytes: 100, usageBytes: 60, workingSetBytes: 50, psi: psi(0) },
  io: { time: AT, psi: psi(40) },
  network: { time: AT, name: 'eth0', rxBytes: 10, txBytes: 20, interfaces: [] },
  fs: { time: AT, availableBytes: 300, capacityBytes: 1_000, usedBytes: 700 },
};
const POD = {
  podRef: { name: 'ada-3', namespace: 'village', uid: 'u1' },
  startTime: AT,
  containers: [],
  cpu: { time: AT, usageCoreNanoSeconds: 9 },
  memory: { time: AT, workingSetBytes: 44 },
  network: { time: AT, name: 'eth0', rxBytes: 1, txBytes: 2 },
  'ephemeral-storage': { time: AT, usedBytes: 30 },
  volume: [
    { name: 'home', usedBytes: 12, pvcRef: { name: 'ada-home', namespace: 'village' } },
    { name: 'tmp', usedBytes: 5 },
  ],
};
const atMs = Date.parse(AT);

test('reads a node and its pods', () => {
  assert.deepEqual(readSummary(JSON.stringify({ node: NODE, pods: [POD] })), {
    cpu: { atMs, value: 7e15 },
    received: { atMs, value: 10 },
    sent: { atMs, value: 20 },
    memoryAvailableBytes: 100,
    diskTotalBytes: 1_000,
    diskAvailableBytes: 300,
    cpuPressure: 3.5,
    memoryPressure: 0,
    ioPressure: 40,
    pods: [
      {
        namespace: 'village',
        name: 'ada-3',
        uid: 'u1',
        cpu: { atMs, value: 9 },
        received: { atMs, value: 1 },
        sent: { atMs, value: 2 },
        memoryBytes: 44,
        diskBytes: 42,
      },
    ],
  });
});

test('a kubelet that measures little, and a pod that starts, leave gaps', () => {
  const reading = readSummary(
    JSON.stringify({ node: { nodeName: 'n', network: { time: null } }, pods: [{ podRef: POD.podRef }] }),
  );
  assert.deepEqual(reading?.pods[0], {
    ...POD.podRef,
    cpu: null,
    received: null,
    sent: null,
    memoryBytes: 0,
    diskBytes: 0,
  });
  assert.deepEqual([reading?.cpu, reading?.received, reading?.ioPressure], [null, null, null]);
  assert.deepEqual(readSummary(JSON.stringify({ node: {}, pods: null }))?.pods, []);
});

test('refuses everything that is not a summary', () => {
  const wrong = [
    '',
    '{',
    'null',
    '[]',
    '{}',
    '"text"',
    JSON.stringify({ node: { memory: { availableBytes: -1 } } }),
    JSON.stringify({ node: { cpu: { time: 'now', usageCoreNanoSeconds: 1 } } }),
    JSON.stringify({ node: { cpu: { time: AT, psi: psi(101) } } }),
    JSON.stringify({ node: NODE, pods: [{ ...POD, podRef: { ...POD.podRef, name: 'x'.repeat(254) } }] }),
    JSON.stringify({ node: NODE, pods: Array.from({ length: 1_025 }, () => POD) }),
    '{"node":{"fs":{"capacityBytes":1e999}}}',
  ];
  for (const text of wrong) assert.equal(readSummary(text), null, text.slice(0, 80));
});
