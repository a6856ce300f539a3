import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentOf, SETTINGS, specOf, TIER_1 } from '../agent/testing/sample-state.ts';
import { podManifest } from '../agent/pod-manifest.ts';
import { foreignPodView, type ForeignPodView } from './foreign-pod.ts';
import { seatTier } from './seat-request.ts';

const GI = 2 ** 30;
const GPU = 'nvidia.com/gpu';

test('a pod is counted as the scheduler counts it', () => {
  const view = (spec: object, status: object = {}): ForeignPodView =>
    foreignPodView({ metadata: { name: 'p', namespace: 'n', uid: 'p', resourceVersion: '1' }, spec, status });
  const requests = (cpu: string, memory: string): object => ({ resources: { requests: { cpu, memory, [GPU]: '1' } } });
  const sum = view({
    nodeName: 'a',
    containers: [requests('250m', '1Gi'), requests('250m', '1Gi')],
    initContainers: [requests('2', '1Mi'), { ...requests('100m', '1Gi'), restartPolicy: 'Always' }],
    overhead: { cpu: '10m' },
  });
  assert.deepEqual(
    [sum.nodeName, sum.takes],
    ['a', { cpuMillis: 2_010, memoryBytes: 3 * GI, pods: 1, devices: { [GPU]: 3 } }],
  );
  assert.deepEqual(
    view({ containers: [requests('1', '1Gi')], resources: { requests: { cpu: '3' } } }).takes.cpuMillis,
    3_000,
  );
  const sidecar = { ...requests('1', '1Gi'), restartPolicy: 'Always' };
  const begins = (...initContainers: readonly object[]): number =>
    view({ containers: [requests('500m', '1Gi')], initContainers }).takes.cpuMillis;
  assert.equal(begins(sidecar, requests('2', '1Gi')), 3_000, 'the sidecar runs beside the later init container');
  assert.equal(begins(requests('2', '1Gi'), sidecar), 2_000, 'an init container has ended before the sidecar starts');
  assert.equal(view({ containers: [] }, { nominatedNodeName: 'b' }).nodeName, 'b');
  assert.deepEqual(view({ containers: [{}] }).takes, { cpuMillis: 0, memoryBytes: 0, pods: 1, devices: {} });
});

test('an agent of another village counts as its own operator would count it, with and without hands', () => {
  const takes = (spec: object): unknown => {
    const pod = podManifest({
      agent: agentOf(),
      spec: specOf({ ...spec }),
      tier: TIER_1,
      cycle: 1,
      settings: SETTINGS,
    });
    return foreignPodView(pod as unknown as Parameters<typeof foreignPodView>[0]).takes;
  };
  assert.deepEqual(takes({}), seatTier(TIER_1).size);
  assert.deepEqual(takes({ hands: { enabled: false } }), seatTier({ ...TIER_1, handless: true }).size);
});
