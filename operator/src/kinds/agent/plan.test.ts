import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plan } from './plan.ts';
import { awake, NOW, testPlans, unschedulable, type PlanRow } from './testing/plan-table.ts';
import { agentOf, claimOf, claimOfOthers, observedOf, podOf, SETTINGS, tierOf } from './testing/sample-state.ts';

const moving = {
  spec: { placement: { onNodeLoss: 'MoveWithoutVolume' } },
  status: { cycle: 2, power: 'Awake', podName: 'ada-2', tier: 'tier-0' },
} as const;

const TABLE: readonly PlanRow[] = [
  ['healthy: nothing', {}, []],
  [
    'new: finalizer, claim and the pod that begins the cycle, in this order',
    { agent: agentOf({ finalizers: [] }), pods: [], claim: undefined },
    ['finalizers=hamlet.village/account', 'createClaim ada-home', 'createPod ada-1', 'Normal Awakened'],
  ],
  [
    'new and asleep: the finalizer alone',
    { agent: agentOf({ finalizers: ['other'], spec: { power: 'Asleep' } }), pods: [], claim: undefined },
    ['finalizers=other,hamlet.village/account'],
  ],
  [
    'crash between claim and pod: the pod is created',
    { agent: agentOf(), pods: [] },
    ['createPod ada-1', 'Normal Awakened'],
  ],
  ['crash between pod and status: the pod proves the cycle', { agent: agentOf() }, []],
  [
    'a pod of the next cycle proves it, and the reboot that it stands for',
    {
      agent: agentOf({ spec: { rebootedAt: '2026-11-22T09:59:00Z' }, status: awake }),
      pods: [podOf('ada-2', { rebootedAt: '2026-11-22T09:59:00Z' })],
    },
    [],
  ],
  [
    'names of other pods are skipped',
    { agent: agentOf(), pods: [], nextCycle: 3 },
    ['createPod ada-3', 'Normal Awakened'],
  ],
  [
    'a cycle that an older operator wrote gets its pod',
    { agent: agentOf({ status: { cycle: 1, power: 'Awake' } }), pods: [] },
    ['createPod ada-1'],
  ],
  [
    'suspended: a cycle, no pod, the claim stays',
    { agent: agentOf({ spec: { power: 'Asleep' }, status: awake }) },
    ['end 2', 'Normal Suspended', 'deletePod ada-1-uid'],
  ],
  [
    'suspended while asleep: nothing',
    { agent: agentOf({ spec: { power: 'Asleep' }, status: { cycle: 2, power: 'Asleep' } }), pods: [] },
    [],
  ],
  [
    'suspended, the pod still ends: nothing',
    {
      agent: agentOf({ spec: { power: 'Asleep' }, status: { cycle: 2, power: 'Asleep' } }),
      pods: [podOf('ada-1', { deletionTimestamp: '2026-11-22T09:59:59Z' })],
    },
    [],
  ],
  [
    'awakened: the next cycle, the same claim',
    { agent: agentOf({ status: { cycle: 2, power: 'Asleep' } }), pods: [] },
    ['createPod ada-3', 'Normal Awakened'],
  ],
  [
    'rebooted: the new pod starts beside the old one',
    { agent: agentOf({ spec: { rebootedAt: '2026-11-22T09:59:00Z' }, status: awake }) },
    ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Normal Rebooted'],
  ],
  [
    'rebooted before: nothing',
    {
      agent: agentOf({
        spec: { rebootedAt: '2026-11-22T09:59:00Z' },
        status: { ...awake, rebootedAt: '2026-11-22T09:59:00Z' },
      }),
    },
    [],
  ],
  [
    'asleep with another rebootedAt: nothing',
    {
      agent: agentOf({
        spec: { power: 'Asleep', rebootedAt: '2026-11-22T09:59:00Z' },
        status: { cycle: 2, power: 'Asleep' },
      }),
      pods: [],
    },
    [],
  ],
  ['pod gone: the next cycle', { agent: agentOf({ status: awake }), pods: [] }, ['createPod ada-2', 'Warning PodLost']],
  [
    'pod deleted by a person: the next cycle at once',
    { agent: agentOf({ status: awake }), pods: [podOf('ada-1', { deletionTimestamp: '2026-11-22T09:59:59Z' })] },
    ['createPod ada-2', 'Warning PodDeleted'],
  ],
  [
    'pod failed long ago: replaced',
    { agent: agentOf({ status: awake }), pods: [podOf('ada-1', { phase: 'Failed' })] },
    ['deletePod ada-1-uid', 'createPod ada-2', 'Warning PodFailed'],
  ],
  [
    'pod failed at once: waits',
    {
      agent: agentOf({ status: awake }),
      pods: [podOf('ada-1', { phase: 'Failed', createdAt: '2026-11-22T09:59:55Z' })],
    },
    [],
  ],
  [
    'a new image, and it is its turn: the next cycle',
    { upgrade: 'now' },
    ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Normal ImageChanged'],
  ],
  [
    'a new image, and the pod is only just created: waits',
    { upgrade: 'now', pods: [podOf('ada-1', { createdAt: '2026-11-22T09:59:51Z' })] },
    [],
  ],
  [
    'pod waits for the scheduler: never replaced',
    { agent: agentOf({ status: awake }), pods: [podOf('ada-1', unschedulable)] },
    [],
  ],
  [
    'another pod has the name of the cycle: the next cycle',
    { agent: agentOf({ status: { cycle: 1, power: 'Awake' } }), pods: [], nameTaken: true },
    ['createPod ada-2', 'Warning NameTaken'],
  ],
  [
    'a pod of an old cycle remains: removed',
    { agent: agentOf({ status: { ...awake, cycle: 2, podName: 'ada-2' } }), pods: [podOf('ada-1'), podOf('ada-2')] },
    ['deletePod ada-1-uid'],
  ],
  [
    'a claim of another owner has the name: untouched, and no pod',
    { agent: agentOf(), pods: [], claim: claimOfOthers },
    [],
  ],
  [
    'a claim without a controller and without labels: untouched',
    { agent: agentOf(), pods: [], claim: { metadata: { ...claimOf(null).metadata, labels: {} } } },
    [],
  ],
  [
    'claim of an earlier life: removed first',
    { agent: agentOf(), pods: [], claim: claimOf('old-uid') },
    ['deleteClaim claim-uid'],
  ],
  [
    'claim of an earlier life ends: no pod yet',
    {
      agent: agentOf({ status: { cycle: 1, power: 'Awake' } }),
      pods: [],
      claim: claimOf('old-uid', { deletionTimestamp: '2026-11-22T09:59:59Z' }),
    },
    [],
  ],
  [
    'retained claim of an earlier life: adopted',
    { agent: agentOf({ status: awake }), claim: claimOf(null) },
    ['ownClaim 1'],
  ],
  [
    'memory.retain: Retain removes the owner of the claim',
    { agent: agentOf({ spec: { memory: { retain: 'Retain' } }, status: awake }) },
    ['ownClaim 0'],
  ],
  ['no Entitlement at all: no pod', { agent: agentOf(), pods: [], tiers: [] }, []],
  ['the Entitlement of a running agent is deleted: it continues', { tiers: [] }, []],
  [
    'only a tier above a balance of 0: no pod',
    { agent: agentOf(), pods: [], tiers: [tierOf('tier-1', 1, { minBalance: '10' })] },
    [],
  ],
  [
    'preempted: the next pod waits for the scheduler',
    { pods: [podOf('ada-1', { deletionTimestamp: '2026-11-22T09:59:59Z', disruption: 'PreemptionByScheduler' })] },
    ['createPod ada-2', 'Warning Preempted'],
  ],
  [
    'preempted, and the next pod waits: nothing',
    { agent: agentOf({ status: { ...awake, cycle: 2, podName: 'ada-2' } }), pods: [podOf('ada-2', unschedulable)] },
    [],
  ],
  [
    'evicted',
    { pods: [podOf('ada-1', { deletionTimestamp: '2026-11-22T09:59:59Z', disruption: 'EvictionByEvictionAPI' })] },
    ['createPod ada-2', 'Warning Evicted'],
  ],
  [
    'drained',
    {
      node: { name: 'sparky1', ready: true, cordoned: true },
      pods: [podOf('ada-1', { deletionTimestamp: '2026-11-22T09:59:59Z', disruption: 'EvictionByEvictionAPI' })],
    },
    ['createPod ada-2', 'Normal NodeDrained'],
  ],
  ['node cordoned, and the pod not evicted: it stays', { node: { name: 'sparky1', ready: true, cordoned: true } }, []],
  [
    'the node ran short of resources: replaced, but not at once',
    {
      pods: [
        podOf('ada-1', { phase: 'Failed', disruption: 'TerminationByKubelet', createdAt: '2026-11-22T09:59:55Z' }),
      ],
    },
    [],
  ],
  [
    'the node ran short of resources some time later: replaced',
    { pods: [podOf('ada-1', { phase: 'Failed', disruption: 'TerminationByKubelet' })] },
    ['deletePod ada-1-uid', 'createPod ada-2', 'Warning NodePressure'],
  ],
  ['the node is lost: nothing until Kubernetes gives the pod up', { node: { name: 'sparky1', ready: false } }, []],
  [
    'the node is lost and Kubernetes gave its pod up: replaced',
    {
      node: { name: 'sparky1', ready: false },
      pods: [podOf('ada-1', { deletionTimestamp: '2026-11-22T09:59:59Z', disruption: 'DeletionByTaintManager' })],
    },
    ['createPod ada-2', 'Warning NodeLost'],
  ],
  [
    'a spec that cannot be read: the pod stays',
    { agent: { ...agentOf({ status: awake }), spec: undefined, problem: 'spec: bad' } },
    [],
  ],
  [
    'user namespace required but not available: no pod',
    {
      agent: agentOf({ spec: { isolation: { userNamespace: 'Required' } } }),
      pods: [],
      settings: { ...SETTINGS, userNamespaces: 'Off' },
    },
    [],
  ],
  [
    'volume on a lost node, MoveWithoutVolume: the volume is given up',
    {
      agent: agentOf(moving),
      claim: claimOf('ada-uid', { node: 'sparky1' }),
      volumeNode: { name: 'sparky1', ready: false },
      pods: [podOf('ada-1', { deletionTimestamp: '2026-11-22T09:59:00Z' }), podOf('ada-2', unschedulable)],
    },
    ['deletePod ada-1-uid in 0 s', 'deleteClaim claim-uid', 'Warning VolumeAbandoned'],
  ],
  [
    'volume on a node that is only full or cordoned: the volume is kept',
    {
      agent: agentOf(moving),
      claim: claimOf('ada-uid', { node: 'sparky1' }),
      volumeNode: { name: 'sparky1', ready: true },
      pods: [podOf('ada-2', unschedulable)],
    },
    [],
  ],
  [
    'volume on a lost node, Wait: the volume is kept',
    {
      agent: agentOf({ status: moving.status }),
      claim: claimOf('ada-uid', { node: 'sparky1' }),
      volumeNode: { name: 'sparky1', ready: false },
      pods: [podOf('ada-2', unschedulable)],
    },
    [],
  ],
  [
    'deleted: pod, account, finalizer',
    { agent: agentOf({ deletionTimestamp: '2026-11-22T09:59:55Z', status: awake }) },
    ['deletePod ada-1-uid', 'closeAccount', 'finalizers='],
  ],
  [
    'deleted, and no answer of the api for a minute: the finalizer goes anyway',
    {
      agent: agentOf({ deletionTimestamp: '2026-11-22T09:59:00Z', finalizers: ['other', 'hamlet.village/account'] }),
      pods: [],
    },
    ['Warning AccountNotClosed', 'finalizers=other'],
  ],
  [
    'deleted, and the finalizer removed: nothing',
    { agent: agentOf({ deletionTimestamp: '2026-11-22T09:59:55Z', finalizers: ['other'] }), pods: [] },
    [],
  ],
];

testPlans(TABLE);

test('a waiting agent is planned again in time', () => {
  const failed = observedOf({
    agent: agentOf({ status: awake }),
    pods: [podOf('ada-1', { phase: 'Failed', createdAt: '2026-11-22T09:59:55Z' })],
  });
  assert.equal(plan(failed, NOW).requeueAfterMs, 5_000);
  const deleted = observedOf({ agent: agentOf({ deletionTimestamp: '2026-11-22T09:59:55Z' }) });
  assert.equal(plan(observedOf({ upgrade: 'waits' }), NOW).requeueAfterMs, 5_000);
  assert.equal(plan(deleted, NOW).requeueAfterMs, 55_000);
});

test('the pod of a cycle carries the rebootedAt of that cycle', () => {
  const observed = observedOf({ agent: agentOf({ spec: { rebootedAt: '2026-11-22T09:59:00Z' }, status: awake }) });
  const create = plan(observed, NOW).actions.find((action) => action.kind === 'createPod');
  assert.deepEqual(create?.manifest.metadata['annotations'], {
    'hamlet.village/tier': 'tier-0',
    'hamlet.village/fixed-compute': '',
    'hamlet.village/image': SETTINGS.image,
    'hamlet.village/hands': SETTINGS.image,
    'hamlet.village/hosts': 'hamlet-api-agents=10.96.0.11 hamlet-broker=10.96.0.12',
    'kubectl.kubernetes.io/default-container': 'resident',
    'hamlet.village/rebooted-at': '2026-11-22T09:59:00Z',
  });
});

test('a pod that waits for the scheduler is never replaced for waiting', () => {
  const gated = {
    nodeName: undefined,
    phase: 'Pending',
    container: undefined,
    scheduled: { status: 'False', reason: 'SchedulingGated', message: 'blocked by a gate' },
  };
  for (const state of [unschedulable, gated, { ...gated, scheduled: undefined }]) {
    const observed = observedOf({
      agent: agentOf({ status: awake }),
      pods: [podOf('ada-1', { ...state, createdAt: '2026-11-22T10:00:00Z' })],
      presence: undefined,
    });
    for (let minute = 0; minute <= 72 * 60; minute += 1) {
      assert.deepEqual(
        plan(observed, NOW + minute * 60_000),
        { actions: [] },
        `${state.scheduled?.reason} after ${minute} min`,
      );
    }
  }
});
