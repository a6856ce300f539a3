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

test('the image of a pod is the one that the operator requested, even if admission replaced it', () => {
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

test('the last end of a container is read from its current or previous state', () => {
  const end = { terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt: '2026-11-22T09:59:00Z' } };
  const handsIn = (status: object): ReturnType<typeof podView>['handsContainer'] => {
    const { status: before, ...pod } = rawPod(limits('1', '1Gi'), undefined);
    const containerStatuses = [{ name: 'hands', restartCount: 0, ...status }];
    return podView({ ...pod, status: { ...before, containerStatuses } }).handsContainer;
  };
  const text = 'OOMKilled with exit code 137 at 2026-11-22T09:59:00Z';
  const ended = handsIn({ state: end });
  assert.deepEqual([ended?.running, ended?.lastEnd, ended?.outOfMemory], [false, text, true]);
  const again = handsIn({ restartCount: 1, state: { running: {} }, lastState: end });
  assert.deepEqual([again?.running, again?.restarts, again?.lastEnd, again?.outOfMemory], [true, 1, text, true]);
  const other = handsIn({ state: { terminated: { exitCode: 3 } } });
  assert.deepEqual([other?.lastEnd, other?.outOfMemory], ['ended with exit code 3', false]);
  const runs = handsIn({ state: { running: {} } });
  assert.deepEqual([runs?.running, runs?.lastEnd, runs?.outOfMemory], [true, undefined, false]);
});
