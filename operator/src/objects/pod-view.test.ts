import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isResizing, podView } from './pod-view.ts';

const limits = (cpu: string, memory: string): object => ({
  limits: { cpu, memory },
  requests: { cpu: '1m', memory: '1Mi' },
});

function rawPod(
  asked: object,
  given: object | undefined,
  conditions: readonly object[] = [],
): Parameters<typeof podView>[0] {
  const status = {
    containerStatuses: [
      { restartCount: 0, state: { running: {} }, ...(given === undefined ? {} : { resources: given }) },
    ],
    phase: 'Running',
    conditions,
  };
  const metadata = {
    name: 'ada-1',
    namespace: 'village',
    uid: 'u',
    resourceVersion: '1',
    labels: { 'hamlet.village/agent': 'ada', other: 'x' },
    managedFields: [],
    ownerReferences: [
      { apiVersion: 'hamlet.village/v1alpha1', kind: 'Agent', name: 'ada', uid: 'a', controller: true },
    ],
  };
  return {
    metadata,
    spec: { nodeName: 'sparky1', containers: [{ name: 'resident', image: 'i', resources: asked }] },
    status,
  } as unknown as Parameters<typeof podView>[0];
}

test('the image of a pod is the image that the operator asked for, even if admission replaced it', () => {
  const { metadata, ...pod } = rawPod(limits('1', '1Gi'), undefined);
  assert.equal(
    podView({ ...pod, metadata: { ...metadata, annotations: { 'hamlet.village/image': 'hamlet/agent:1' } } }).image,
    'hamlet/agent:1',
  );
  assert.equal(podView({ ...pod, metadata }).image, 'i', 'a pod of an older operator has no annotation');
});

test('a pod is resizing until its node has given it the size of its spec', () => {
  assert.equal(isResizing(podView(rawPod(limits('1', '1Gi'), limits('500m', '512Mi')))), true);
  assert.equal(isResizing(podView(rawPod(limits('1', '1Gi'), limits('1000m', '1024Mi')))), false);
  assert.equal(
    isResizing(podView(rawPod(limits('1', '1Gi'), undefined))),
    false,
    'a node that reports no size counts as done',
  );
});

test('the reasons of a pending resize and of a disruption are read', () => {
  const pod = podView(
    rawPod(limits('1', '1Gi'), limits('1', '1Gi'), [
      { type: 'PodResizePending', status: 'True', reason: 'Deferred', message: 'no room' },
      { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' },
      { type: 'PodScheduled', status: 'True' },
    ]),
  );
  assert.deepEqual(
    [pod.resize, pod.disruption, pod.scheduled?.status],
    [{ type: 'PodResizePending', reason: 'Deferred', message: 'no room' }, 'PreemptionByScheduler', 'True'],
  );
});

test('only the needed metadata is kept, and equal sizes are one object', () => {
  const [one, two] = [podView(rawPod(limits('1', '1Gi'), undefined)), podView(rawPod(limits('1', '1Gi'), undefined))];
  assert.equal(one.size, two.size);
  assert.deepEqual(Object.keys(one.metadata), [
    'name',
    'uid',
    'resourceVersion',
    'ownerReferences',
    'namespace',
    'labels',
  ]);
  assert.deepEqual(one.metadata.labels, { 'hamlet.village/agent': 'ada' });
  assert.equal(one.metadata.ownerReferences?.[0]?.uid, 'a');
});
