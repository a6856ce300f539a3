import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plan } from './plan.ts';
import type { PlanRow } from './testing/plan-table.ts';
import { asleep, awake, JUST_NOW, NOW, replaced, testPlans, unschedulable } from './testing/plan-table.ts';
import {
  agentOf,
  conditionOf,
  claimOf,
  claimOfOthers,
  observedOf,
  podOf,
  SETTINGS,
  tierOf,
} from './testing/sample-state.ts';

const moving = {
  spec: { placement: { onNodeLoss: 'MoveWithoutVolume' } },
  status: { cycle: 2, power: 'Awake', podName: 'ada-2', tier: 'tier-0' },
} as const;

const A_MINUTE_AGO = '2026-11-22T09:59:00Z';
const SECONDS_AGO = '2026-11-22T09:59:55Z';
const LOST = { name: 'sparky1', ready: false };
const CORDONED = { name: 'sparky1', ready: true, cordoned: true };

const TABLE: readonly PlanRow[] = [
  ['healthy: nothing', {}, []],
  [
    'new: finalizer, claim and the pod that begins the cycle, in this order',
    { finalizers: [], pods: [], claim: undefined },
    ['finalizers=hamlet.village/account', 'createClaim ada-home', 'createPod ada-1', 'Normal Awakened'],
  ],
  [
    'new and asleep: the finalizer alone',
    { finalizers: ['other'], spec: { power: 'Asleep' }, pods: [], claim: undefined },
    ['finalizers=other,hamlet.village/account'],
  ],
  ['crash between claim and pod: the pod is created', { status: {}, pods: [] }, ['createPod ada-1', 'Normal Awakened']],
  ['crash between pod and status: the pod proves the cycle', { status: {} }, []],
  [
    'a pod of the next cycle proves it, and the reboot that it stands for',
    { spec: { rebootedAt: A_MINUTE_AGO }, status: awake, pods: [podOf('ada-2', { rebootedAt: A_MINUTE_AGO })] },
    [],
  ],
  ['names of other pods are skipped', { status: {}, pods: [], nextCycle: 3 }, ['createPod ada-3', 'Normal Awakened']],
  [
    'a cycle that an older operator wrote gets its pod',
    { status: { cycle: 1, power: 'Awake' }, pods: [] },
    ['createPod ada-1'],
  ],
  [
    'suspended: a cycle, no pod, the claim stays',
    { spec: { power: 'Asleep' }, status: awake },
    ['end 2', 'Normal Suspended', 'deletePod ada-1-uid'],
  ],
  ['suspended while asleep: nothing', { spec: { power: 'Asleep' }, status: asleep, pods: [] }, []],
  [
    'suspended, the pod still ends: nothing',
    { spec: { power: 'Asleep' }, status: asleep, pod: { deletionTimestamp: JUST_NOW } },
    [],
  ],
  ['awakened: the next cycle, the same claim', { status: asleep, pods: [] }, ['createPod ada-3', 'Normal Awakened']],
  [
    'rebooted: the new pod starts beside the old one',
    { spec: { rebootedAt: A_MINUTE_AGO }, status: awake },
    replaced('Normal Rebooted'),
  ],
  [
    'rebooted before: nothing',
    { spec: { rebootedAt: A_MINUTE_AGO }, status: { ...awake, rebootedAt: A_MINUTE_AGO } },
    [],
  ],
  [
    'asleep with another rebootedAt: nothing',
    { spec: { power: 'Asleep', rebootedAt: A_MINUTE_AGO }, status: asleep, pods: [] },
    [],
  ],
  ['pod gone: the next cycle', { status: awake, pods: [] }, ['createPod ada-2', 'Warning PodLost']],
  [
    'pod deleted by a person: the next cycle at once',
    { status: awake, pod: { deletionTimestamp: JUST_NOW } },
    ['createPod ada-2', 'Warning PodDeleted'],
  ],
  [
    'pod failed long ago: replaced',
    { status: awake, pod: { phase: 'Failed' } },
    ['deletePod ada-1-uid', 'createPod ada-2', 'Warning PodFailed'],
  ],
  ['pod failed at once: waits', { status: awake, pod: { phase: 'Failed', createdAt: SECONDS_AGO } }, []],
  ['a new image, and it is its turn: the next cycle', { upgrade: 'now' }, replaced('Normal ImageChanged')],
  [
    'a new image, and the pod is only just created: waits',
    { upgrade: 'now', pod: { createdAt: '2026-11-22T09:59:51Z' } },
    [],
  ],
  ['pod waits for the scheduler: never replaced', { status: awake, pod: unschedulable }, []],
  [
    'another pod has the name of the cycle: the next cycle',
    { status: { cycle: 1, power: 'Awake' }, pods: [], nameTaken: true },
    ['createPod ada-2', 'Warning NameTaken'],
  ],
  [
    'a pod of an old cycle remains: removed',
    { status: { ...awake, cycle: 2, podName: 'ada-2' }, pods: [podOf('ada-1'), podOf('ada-2')] },
    ['deletePod ada-1-uid'],
  ],
  ['a claim of another owner has the name: untouched, and no pod', { status: {}, pods: [], claim: claimOfOthers }, []],
  [
    'a claim without a controller and without labels: untouched',
    { status: {}, pods: [], claim: { metadata: { ...claimOf(null).metadata, labels: {} } } },
    [],
  ],
  [
    'claim of an earlier life: removed first',
    { status: {}, pods: [], claim: claimOf('old-uid') },
    ['deleteClaim claim-uid'],
  ],
  [
    'claim of an earlier life ends: no pod yet',
    { status: { cycle: 1, power: 'Awake' }, pods: [], claim: claimOf('old-uid', { deletionTimestamp: JUST_NOW }) },
    [],
  ],
  ['retained claim of an earlier life: adopted', { status: awake, claim: claimOf(null) }, ['ownClaim 1']],
  [
    'memory.retain: Retain removes the owner of the claim',
    { spec: { memory: { retain: 'Retain' } }, status: awake },
    ['ownClaim 0'],
  ],
  ['no Entitlement at all: no pod', { status: {}, pods: [], tiers: [] }, []],
  ['the Entitlement of a running agent is deleted: it continues', { tiers: [] }, []],
  [
    'only a tier above a balance of 0: no pod',
    { status: {}, pods: [], tiers: [tierOf('tier-1', 1, { minBalance: '10' })] },
    [],
  ],
  [
    'preempted: the next pod waits for the scheduler',
    { pod: { deletionTimestamp: JUST_NOW, disruption: 'PreemptionByScheduler' } },
    ['createPod ada-2', 'Warning Preempted'],
  ],
  [
    'preempted, and the next pod waits: nothing',
    { status: { ...awake, cycle: 2, podName: 'ada-2' }, pods: [podOf('ada-2', unschedulable)] },
    [],
  ],
  [
    'evicted',
    { pod: { deletionTimestamp: JUST_NOW, disruption: 'EvictionByEvictionAPI' } },
    ['createPod ada-2', 'Warning Evicted'],
  ],
  [
    'drained',
    { node: CORDONED, pod: { deletionTimestamp: JUST_NOW, disruption: 'EvictionByEvictionAPI' } },
    ['createPod ada-2', 'Normal NodeDrained'],
  ],
  ['node cordoned, and the pod not evicted: it stays', { node: CORDONED }, []],
  [
    'the node ran short of resources: replaced, but not at once',
    { pod: { phase: 'Failed', disruption: 'TerminationByKubelet', createdAt: SECONDS_AGO } },
    [],
  ],
  [
    'the node ran short of resources some time later: replaced',
    { pod: { phase: 'Failed', disruption: 'TerminationByKubelet' } },
    ['deletePod ada-1-uid', 'createPod ada-2', 'Warning NodePressure'],
  ],
  ['the node is lost: nothing until Kubernetes gives the pod up', { node: LOST }, []],
  [
    'the node is lost and Kubernetes gave its pod up: replaced',
    { node: LOST, pod: { deletionTimestamp: JUST_NOW, disruption: 'DeletionByTaintManager' } },
    ['createPod ada-2', 'Warning NodeLost'],
  ],
  [
    'a spec that cannot be read: the pod stays',
    { agent: { ...agentOf({ status: awake }), spec: undefined, problem: 'spec: bad' } },
    [],
  ],
  [
    'user namespace required but not available: no pod',
    { spec: { isolation: { userNamespace: 'Required' } }, pods: [], settings: { ...SETTINGS, userNamespaces: 'Off' } },
    [],
  ],
  [
    'volume on a lost node, MoveWithoutVolume: the volume is given up',
    {
      agent: agentOf(moving),
      claim: claimOf('ada-uid', { node: 'sparky1' }),
      volumeNode: LOST,
      pods: [podOf('ada-1', { deletionTimestamp: A_MINUTE_AGO }), podOf('ada-2', unschedulable)],
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
      status: moving.status,
      claim: claimOf('ada-uid', { node: 'sparky1' }),
      volumeNode: LOST,
      pods: [podOf('ada-2', unschedulable)],
    },
    [],
  ],
  [
    'deleted: pod, account, finalizer',
    { deletionTimestamp: SECONDS_AGO, status: awake },
    ['deletePod ada-1-uid', 'closeAccount', 'finalizers='],
  ],
  [
    'deleted just after memory.retain became Retain: the claim loses its owner before the finalizer goes',
    { deletionTimestamp: SECONDS_AGO, status: awake, spec: { memory: { retain: 'Retain' } }, pods: [] },
    ['ownClaim 0', 'closeAccount', 'finalizers='],
  ],
  [
    'deleted just after memory.retain became Delete: the claim goes with the Agent',
    { deletionTimestamp: SECONDS_AGO, status: awake, claim: claimOf(null), pods: [] },
    ['ownClaim 1', 'closeAccount', 'finalizers='],
  ],
  [
    'deleted, and the claim of the name belongs to another life: the claim stays as it is',
    { deletionTimestamp: SECONDS_AGO, status: awake, claim: claimOf('old-uid'), pods: [] },
    ['closeAccount', 'finalizers='],
  ],
  [
    'deleted, and no answer of the api for a minute: the finalizer goes anyway',
    { deletionTimestamp: A_MINUTE_AGO, finalizers: ['other', 'hamlet.village/account'], pods: [] },
    ['Warning AccountNotClosed', 'finalizers=other'],
  ],
  [
    'deleted, and the finalizer removed: nothing',
    { deletionTimestamp: SECONDS_AGO, finalizers: ['other'], pods: [] },
    [],
  ],
  [
    'quarantined: the pod ends',
    { standing: { quarantined: true } },
    ['end 2', 'Warning Quarantined', 'deletePod ada-1-uid'],
  ],
  ['frozen: the pod ends', { standing: { frozen: true } }, ['end 2', 'Warning Frozen', 'deletePod ada-1-uid']],
  [
    'banned: the pod ends',
    { standing: { banned: true, frozen: true } },
    ['end 2', 'Warning Banned', 'deletePod ada-1-uid'],
  ],
  [
    'killed: the pod ends at once',
    { standing: { killed: true, banned: true } },
    ['end 2', 'Warning Killed', 'deletePod ada-1-uid in 0 s'],
  ],
  [
    'killed during the grace period of the pod: no more grace',
    { status: asleep, standing: { killed: true }, pod: { deletionTimestamp: JUST_NOW } },
    ['deletePod ada-1-uid in 0 s'],
  ],
  [
    'killed and without a pod: nothing, even if the spec says Awake',
    { spec: { rebootedAt: '2026-11-22T09:59:00Z' }, status: asleep, standing: { killed: true }, pods: [] },
    [],
  ],
  ['tokens revoked: the pod stays', { standing: { token_revoked: true } }, []],
  ['no report of the api yet: a running agent continues', { apiState: 'None' }, []],
  [
    'no report of the api yet: a lost pod is replaced at the same tier',
    { apiState: 'None', pods: [] },
    ['createPod ada-2', 'Warning PodLost'],
  ],
  [
    'no report of the api yet: no agent awakens',
    { apiState: 'None', status: { ...asleep, tier: 'tier-0' }, pods: [] },
    [],
  ],
  [
    'no report of the api yet: no new agent begins, pinned or not',
    { apiState: 'None', spec: { entitlement: { policy: 'Pinned', name: 'tier-1' } }, pods: [] },
    [],
  ],
  [
    'no report of the api yet: only the tier of the status counts',
    { apiState: 'None', spec: { entitlement: { policy: 'Pinned', name: 'tier-1' } }, status: awake },
    [],
  ],
  [
    'no report of the api yet: a frozen agent stays frozen',
    {
      apiState: 'None',
      status: { cycle: 2, power: 'Asleep', tier: 'tier-0', conditions: [conditionOf('Entitled False Frozen')] },
      pods: [],
    },
    [],
  ],
  [
    'the api stopped answering: a known agent awakens at its known tier',
    { apiState: 'Last', status: { ...asleep, tier: 'tier-0' }, pods: [] },
    ['createPod ada-3', 'Normal Awakened'],
  ],
  ['the api stopped answering: no new agent begins', { apiState: 'Last', status: {}, pods: [] }, []],
  [
    'the api stopped answering: a known measure stays in force',
    { apiState: 'Last', standing: { banned: true }, status: { ...asleep, tier: 'tier-0' }, pods: [] },
    [],
  ],
];

testPlans(TABLE);

test('a waiting agent is planned again in time', () => {
  const failed = observedOf({ status: awake, pod: { phase: 'Failed', createdAt: SECONDS_AGO } });
  assert.equal(plan(failed, NOW).requeueAfterMs, 5_000);
  const deleted = observedOf({ deletionTimestamp: SECONDS_AGO });
  assert.equal(plan(observedOf({ upgrade: 'waits' }), NOW).requeueAfterMs, 5_000);
  assert.equal(plan(deleted, NOW).requeueAfterMs, 55_000);
});

test('the pod of a cycle carries the rebootedAt of that cycle', () => {
  const observed = observedOf({ spec: { rebootedAt: '2026-11-22T09:59:00Z' }, status: awake });
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
      status: awake,
      pod: { ...state, createdAt: '2026-11-22T10:00:00Z' },
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
