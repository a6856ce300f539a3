import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition } from '@hamlet/contract/kinds';
import { boostedTier, boostedTiers } from './child/boosted-tier.ts';
import { sizeOf } from './child/compute.ts';
import { plan, type Action } from './plan.ts';
import { agentOf, claimOf, claimOfOthers, holdFor, observedOf, podOf, PRICED_TIERS, SETTINGS, standingOf, TIER_0, TIER_1, tierOf } from './testing/sample-state.ts';
import type { Observed, PodView, TierView } from './views.ts';

const NOW = Date.parse('2026-11-22T10:00:00Z');

/** An action in a word: what a table can compare. */
function brief(action: Action): string {
  switch (action.kind) {
    case 'setFinalizers':
      return `finalizers=${action.finalizers.join()}`;
    case 'endCycle':
      return `end ${action.cycle}`;
    case 'createClaim':
    case 'tryPod':
    case 'createPod':
      return `${action.kind} ${action.manifest.metadata.name}`;
    case 'ownClaim':
      return `ownClaim ${action.owners.length}`;
    case 'deleteClaim':
      return `deleteClaim ${action.uid}`;
    case 'deletePod':
      return `deletePod ${action.uid}${action.graceSeconds === undefined ? '' : ` in ${action.graceSeconds} s`}`;
    case 'resizePod':
      return `resizePod ${action.name}`;
    case 'tell':
      return `${action.type} ${action.reason}`;
    default:
      return action.kind;
  }
}

const awake = { cycle: 1, power: 'Awake', podName: 'ada-1', tier: 'tier-0' } as const;
const unschedulable = { nodeName: undefined, phase: 'Pending', container: undefined, scheduled: { status: 'False', reason: 'Unschedulable', message: '0/2 nodes are available: 1 node(s) had volume node affinity conflict' } };
const moving = { spec: { placement: { onNodeLoss: 'MoveWithoutVolume' } }, status: { cycle: 2, power: 'Awake', podName: 'ada-2', tier: 'tier-0' } } as const;

/** A pod that may get one node only, and waits for the scheduler. */
const waitingFor = (node: string, parts: Partial<Observed>): Partial<Observed> => ({ pods: [podOf('ada-1', { nodeName: undefined, phase: 'Pending', container: undefined })], seatNode: { name: node, ready: true }, ...parts });

/** A pod of tier-0 that asks for the size of `tier`. */
const resizing = (tier: TierView, reason?: string): PodView => podOf('ada-1', { size: sizeOf(tier), resize: reason === undefined ? undefined : { type: 'PodResizePending', reason, message: 'no room' } });

/** What the status says of a pod that stays as it is until there is a seat of its tier. */
const waitedFor = (reason: string): Condition => ({ type: 'Resized', status: 'False', reason, message: '', lastTransitionTime: '2026-11-22T09:00:00Z' });

const WINDOW = { priority: false, gpu: { resourceName: 'nvidia.com/gpu', count: 1 } };
const windowed = { tiers: boostedTiers([TIER_0, TIER_1], WINDOW) };
const windowPod = podOf('ada-1', { tier: boostedTier(TIER_0, WINDOW) });

const TABLE: readonly (readonly [string, Partial<Observed>, readonly string[]])[] = [
  ['healthy: nothing', {}, []],
  [
    'new: finalizer, claim and the pod that begins the cycle, in this order',
    { agent: agentOf({ finalizers: [] }), pods: [], claim: undefined },
    ['finalizers=hamlet.village/account', 'createClaim ada-home', 'createPod ada-1', 'Normal Awakened'],
  ],
  ['new and asleep: the finalizer alone', { agent: agentOf({ finalizers: ['other'], spec: { power: 'Asleep' } }), pods: [], claim: undefined }, ['finalizers=other,hamlet.village/account']],
  ['died between claim and pod: the pod is made', { agent: agentOf(), pods: [] }, ['createPod ada-1', 'Normal Awakened']],
  ['died between pod and status: the pod proves the cycle', { agent: agentOf() }, []],
  ['a pod of the next cycle proves it, and the reboot that it stands for', { agent: agentOf({ spec: { rebootedAt: '2026-11-22T09:59:00Z' }, status: awake }), pods: [podOf('ada-2', { rebootedAt: '2026-11-22T09:59:00Z' })] }, []],
  ['the names of other pods are left out', { agent: agentOf(), pods: [], nextCycle: 3 }, ['createPod ada-3', 'Normal Awakened']],
  ['a cycle that was raised by an older operator gets its pod', { agent: agentOf({ status: { cycle: 1, power: 'Awake' } }), pods: [] }, ['createPod ada-1']],
  ['suspended: a cycle, no pod, the claim stays', { agent: agentOf({ spec: { power: 'Asleep' }, status: awake }) }, ['end 2', 'Normal Suspended', 'deletePod ada-1-uid']],
  ['suspended while asleep: nothing', { agent: agentOf({ spec: { power: 'Asleep' }, status: { cycle: 2, power: 'Asleep' } }), pods: [] }, []],
  ['suspended, the pod still ends: nothing', { agent: agentOf({ spec: { power: 'Asleep' }, status: { cycle: 2, power: 'Asleep' } }), pods: [podOf('ada-1', { deletionTimestamp: '2026-11-22T09:59:59Z' })] }, []],
  ['awakened: the next cycle, the same claim', { agent: agentOf({ status: { cycle: 2, power: 'Asleep' } }), pods: [] }, ['createPod ada-3', 'Normal Awakened']],
  [
    'rebooted: the new pod beside the old one',
    { agent: agentOf({ spec: { rebootedAt: '2026-11-22T09:59:00Z' }, status: awake }) },
    ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Normal Rebooted'],
  ],
  ['rebooted before: nothing', { agent: agentOf({ spec: { rebootedAt: '2026-11-22T09:59:00Z' }, status: { ...awake, rebootedAt: '2026-11-22T09:59:00Z' } }) }, []],
  ['asleep with another rebootedAt: nothing', { agent: agentOf({ spec: { power: 'Asleep', rebootedAt: '2026-11-22T09:59:00Z' }, status: { cycle: 2, power: 'Asleep' } }), pods: [] }, []],
  ['pod gone: the next cycle', { agent: agentOf({ status: awake }), pods: [] }, ['createPod ada-2', 'Warning PodLost']],
  ['pod deleted by hand: the next cycle at once', { agent: agentOf({ status: awake }), pods: [podOf('ada-1', { deletionTimestamp: '2026-11-22T09:59:59Z' })] }, ['createPod ada-2', 'Warning PodDeleted']],
  ['pod failed long ago: replaced', { agent: agentOf({ status: awake }), pods: [podOf('ada-1', { phase: 'Failed' })] }, ['deletePod ada-1-uid', 'createPod ada-2', 'Warning PodFailed']],
  ['pod failed at once: waits', { agent: agentOf({ status: awake }), pods: [podOf('ada-1', { phase: 'Failed', createdAt: '2026-11-22T09:59:55Z' })] }, []],
  ['the seat of a pod that waits for the scheduler is on another node: made anew there', waitingFor('sparky1', { seat: { granted: true, node: 'sparky2' } }), ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Normal SeatMoved']],
  ['its node is lost, and there is a seat on another: made anew there', waitingFor('sparky1', { seat: { granted: true, node: 'sparky2' }, seatNode: { name: 'sparky1', ready: false } }), ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Warning NodeLost']],
  ['its node is lost, and there is no seat on another: it waits', waitingFor('sparky1', { seat: { granted: true, reason: 'NoSeat' }, seatNode: { name: 'sparky1', ready: false } }), []],
  ['the seat stays: it waits, however long', waitingFor('sparky1', { seat: { granted: true, node: 'sparky1' } }), []],
  ['it has its node: it stays there', { seat: { granted: true, node: 'sparky2' } }, []],
  ['the seat is there once a pod has ended: nothing is made', { agent: agentOf(), pods: [], seat: { granted: false, reason: 'SeatClearing', blocking: 'node sparky1' } }, []],
  ['a new image, and it is its turn: the next cycle', { upgrade: 'now' }, ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Normal ImageChanged']],
  ['a new image, and the pod has just been made: waits', { upgrade: 'now', pods: [podOf('ada-1', { createdAt: '2026-11-22T09:59:51Z' })] }, []],
  ['pod waits for the scheduler: never replaced', { agent: agentOf({ status: awake }), pods: [podOf('ada-1', unschedulable)] }, []],
  ["the cycle's name is another's: the next cycle", { agent: agentOf({ status: { cycle: 1, power: 'Awake' } }), pods: [], nameTaken: true }, ['createPod ada-2', 'Warning NameTaken']],
  ['a pod of an old cycle is left: removed', { agent: agentOf({ status: { ...awake, cycle: 2, podName: 'ada-2' } }), pods: [podOf('ada-1'), podOf('ada-2')] }, ['deletePod ada-1-uid']],
  ["a claim of somebody else's has the name: it is left alone, and no pod is made", { agent: agentOf(), pods: [], claim: claimOfOthers }, []],
  ['a claim that nobody controls and that is not labelled: left alone', { agent: agentOf(), pods: [], claim: { metadata: { ...claimOf(null).metadata, labels: {} } } }, []],
  ['claim of an earlier life: removed first', { agent: agentOf(), pods: [], claim: claimOf('old-uid') }, ['deleteClaim claim-uid']],
  ['claim of an earlier life ends: no pod yet', { agent: agentOf({ status: { cycle: 1, power: 'Awake' } }), pods: [], claim: claimOf('old-uid', { deletionTimestamp: '2026-11-22T09:59:59Z' }) }, []],
  ['retained claim of an earlier life: adopted', { agent: agentOf({ status: awake }), claim: claimOf(null) }, ['ownClaim 1']],
  ['memory.retain: Retain lets the claim go free', { agent: agentOf({ spec: { memory: { retain: 'Retain' } }, status: awake }) }, ['ownClaim 0']],
  ['no Entitlement at all: no pod', { agent: agentOf(), pods: [], tiers: [] }, []],
  ['the Entitlement is deleted under a running agent: it goes on', { tiers: [] }, []],
  ['only a tier above a balance of 0: no pod', { agent: agentOf(), pods: [], tiers: [tierOf('tier-1', 1, { minBalance: '10' })] }, []],
  ['quarantined: the pod ends', { standing: standingOf({ quarantined: true }) }, ['end 2', 'Warning Quarantined', 'deletePod ada-1-uid']],
  ['frozen: the pod ends', { standing: standingOf({ frozen: true }) }, ['end 2', 'Warning Frozen', 'deletePod ada-1-uid']],
  ['banned: the pod ends', { standing: standingOf({ banned: true, frozen: true }) }, ['end 2', 'Warning Banned', 'deletePod ada-1-uid']],
  ['killed: the pod ends this instant', { standing: standingOf({ killed: true, banned: true }) }, ['end 2', 'Warning Killed', 'deletePod ada-1-uid in 0 s']],
  [
    'killed while the pod ends with its grace: no more grace',
    { agent: agentOf({ status: { cycle: 2, power: 'Asleep' } }), standing: standingOf({ killed: true }), pods: [podOf('ada-1', { deletionTimestamp: '2026-11-22T09:59:59Z' })] },
    ['deletePod ada-1-uid in 0 s'],
  ],
  ['killed and down: nothing, whatever the spec says', { agent: agentOf({ spec: { rebootedAt: '2026-11-22T09:59:00Z' }, status: { cycle: 2, power: 'Asleep' } }), standing: standingOf({ killed: true }), pods: [] }, []],
  ['tokens revoked: the pod stays', { standing: standingOf({ tokenRevoked: true }) }, []],
  ['the api never heard: who runs goes on', { knowledge: 'None' }, []],
  ['the api never heard: whose pod is lost gets one of the same tier', { knowledge: 'None', pods: [] }, ['createPod ada-2', 'Warning PodLost']],
  ['the api never heard: nobody awakens', { knowledge: 'None', agent: agentOf({ status: { cycle: 2, power: 'Asleep', tier: 'tier-0' } }), pods: [] }, []],
  ['the api never heard: nobody new begins, pinned or not', { knowledge: 'None', agent: agentOf({ spec: { entitlement: { policy: 'Pinned', name: 'tier-1' } } }), pods: [] }, []],
  ['the api never heard: no tier but the one that was told', { knowledge: 'None', agent: agentOf({ spec: { entitlement: { policy: 'Pinned', name: 'tier-1' } }, status: awake }) }, []],
  ['the api never heard: who was frozen stays so', { knowledge: 'None', agent: agentOf({ status: { cycle: 2, power: 'Asleep', tier: 'tier-0', conditions: [{ type: 'Entitled', status: 'False', reason: 'Frozen', message: '', lastTransitionTime: '2026-11-22T09:00:00Z' }] } }), pods: [] }, []],
  ['the api went away: who was known awakens as what was known', { knowledge: 'Last', agent: agentOf({ status: { cycle: 2, power: 'Asleep', tier: 'tier-0' } }), pods: [] }, ['createPod ada-3', 'Normal Awakened']],
  ['the api went away: nobody new begins', { knowledge: 'Last', agent: agentOf(), pods: [] }, []],
  ['the api went away: a bar that is known holds', { knowledge: 'Last', standing: standingOf({ banned: true }), agent: agentOf({ status: { cycle: 2, power: 'Asleep', tier: 'tier-0' } }), pods: [] }, []],
  ['a higher tier, larger only: resized, not restarted', { standing: standingOf({ balanceTier: 'tier-1' }) }, ['resizePod ada-1']],
  ['a lower tier, smaller only: resized', { agent: agentOf({ status: { ...awake, tier: 'tier-1' } }), pods: [podOf('ada-1', { tier: TIER_1 })] }, ['resizePod ada-1']],
  ['another GPU: made anew', { standing: standingOf({ balanceTier: 'tier-2' }) }, ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Normal TierChanged']],
  ['the tier was edited: waits for its turn', { agent: agentOf({ status: { ...awake, tier: 'tier-2' } }), standing: standingOf({ balanceTier: 'tier-2' }), upgrade: 'waits' }, []],
  ['the tier was edited, and it is its turn', { agent: agentOf({ status: { ...awake, tier: 'tier-2' } }), standing: standingOf({ balanceTier: 'tier-2' }), upgrade: 'now' }, ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Normal ImageChanged']],
  ['the seat with the GPU of its tier is there after a wait: made anew for its tier, without a turn', { agent: agentOf({ status: { ...awake, tier: 'tier-2', conditions: [waitedFor('GpuBooked')] } }), standing: standingOf({ balanceTier: 'tier-2' }), upgrade: 'waits' }, ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Normal TierChanged']],
  ['the tier was edited and its seats were waited for: waits for its turn', { agent: agentOf({ status: { ...awake, tier: 'tier-2', conditions: [waitedFor('GpuBooked')] } }), standing: standingOf({ balanceTier: 'tier-2' }), pods: [podOf('ada-1', { tier: tierOf('tier-2', 2) })], upgrade: 'waits' }, []],
  ['a second tier opens while the pod grows to the first, which is paid and not in the status yet: it stays at that', { tiers: PRICED_TIERS, standing: standingOf({ balanceTier: 'tier-2' }), hold: { ...holdFor('tier-1'), podUid: 'ada-1-uid' }, pods: [resizing(TIER_1)] }, ['askHold']],
  ['a GPU window begins: made anew at once, at the same tier', windowed, ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Normal GpuWindow']],
  ['a GPU window lasts: nothing', { ...windowed, pods: [windowPod] }, []],
  ['a GPU window lasts and the tier grows: resized', { ...windowed, pods: [windowPod], standing: standingOf({ balanceTier: 'tier-1' }) }, ['resizePod ada-1']],
  ['a GPU window is over: made anew without its GPU', { pods: [windowPod] }, ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Normal GpuWindow']],
  ['a GPU window, and whoever has the GPU is not gone yet: the pod stays as it is', { ...windowed, seat: { granted: true, reason: 'GpuBooked' } }, []],
  ['priority alone changes no pod', { tiers: boostedTiers([TIER_0, TIER_1], { priority: true, gpu: undefined }) }, []],
  ['the resize was refused: made anew', { standing: standingOf({ balanceTier: 'tier-1' }), resize: { sinceMs: NOW, refusal: { message: 'too much cpu', newPodToo: false } } }, ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Warning ResizeRefused']],
  ['the resize breaks a quota: the pod is kept and it is tried again', { standing: standingOf({ balanceTier: 'tier-1' }), resize: { sinceMs: NOW, refusal: { message: 'exceeded quota: x', newPodToo: true } } }, ['resizePod ada-1']],
  ['the node is at it: nothing', { standing: standingOf({ balanceTier: 'tier-1' }), pods: [resizing(TIER_1)], resize: { sinceMs: NOW - 600_000 } }, []],
  ['the node will never hold it: made anew', { standing: standingOf({ balanceTier: 'tier-1' }), pods: [resizing(TIER_1, 'Infeasible')], resize: { sinceMs: NOW } }, ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Warning ResizeRefused']],
  ['the node has no room yet: waits', { standing: standingOf({ balanceTier: 'tier-1' }), pods: [resizing(TIER_1, 'Deferred')], resize: { sinceMs: NOW - 29_000 } }, []],
  ['the node has no room after 30 s: made anew', { standing: standingOf({ balanceTier: 'tier-1' }), pods: [resizing(TIER_1, 'Deferred')], resize: { sinceMs: NOW - 30_000 } }, ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Warning ResizeTimedOut']],
  ['a shrink that hangs for 30 s: made anew', { pods: [podOf('ada-1', { given: sizeOf(TIER_1) })], resize: { sinceMs: NOW - 30_000 } }, ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Warning ResizeTimedOut']],
  ['a shrink that hangs on a lost node: the node is waited for', { pods: [podOf('ada-1', { given: sizeOf(TIER_1) })], node: { name: 'sparky1', ready: false }, resize: { sinceMs: NOW - 90_000 } }, []],
  ['a pod that waits for the scheduler and gets a larger tier: resized as it waits', { agent: agentOf({ status: awake }), standing: standingOf({ balanceTier: 'tier-1' }), pods: [podOf('ada-1', unschedulable)] }, ['resizePod ada-1']],
  ['no seat: nothing is made', { agent: agentOf(), pods: [], seat: { granted: false, reason: 'NoSeat', position: 2, blocking: 'bob' } }, []],
  ['seats not counted yet: nothing is made', { agent: agentOf(), pods: [], seat: { granted: false } }, []],
  ['no seat for who sits: it stays', { seat: { granted: false, reason: 'NoSeat' } }, []],
  ['no seat of the higher tier: the pod stays as it is', { standing: standingOf({ balanceTier: 'tier-1' }), seat: { granted: true, reason: 'NoSeat', position: 1, blocking: 'cpu' } }, []],
  ['no seat with the GPU of the higher tier: the pod stays as it is', { standing: standingOf({ balanceTier: 'tier-2' }), seat: { granted: true, reason: 'GpuBooked', position: 1 } }, []],
  ['the pod is lost and its seat too: waits', { pods: [], seat: { granted: false, reason: 'NoSeat' } }, []],
  ['displaced: the pod ends', { seat: { granted: false, reason: 'Displaced', blocking: 'cleo' } }, ['end 2', 'Warning Displaced', 'deletePod ada-1-uid']],
  ['preempted: the next pod waits for the scheduler', { pods: [podOf('ada-1', { deletionTimestamp: '2026-11-22T09:59:59Z', disruption: 'PreemptionByScheduler' })] }, ['createPod ada-2', 'Warning Preempted']],
  ['preempted, and its successor waits: nothing', { agent: agentOf({ status: { ...awake, cycle: 2, podName: 'ada-2' } }), pods: [podOf('ada-2', unschedulable)] }, []],
  ['evicted', { pods: [podOf('ada-1', { deletionTimestamp: '2026-11-22T09:59:59Z', disruption: 'EvictionByEvictionAPI' })] }, ['createPod ada-2', 'Warning Evicted']],
  ['drained', { node: { name: 'sparky1', ready: true, cordoned: true }, pods: [podOf('ada-1', { deletionTimestamp: '2026-11-22T09:59:59Z', disruption: 'EvictionByEvictionAPI' })] }, ['createPod ada-2', 'Normal NodeDrained']],
  ['cordoned, and nobody told the pod to go: it stays', { node: { name: 'sparky1', ready: true, cordoned: true } }, []],
  ['the node ran short: made anew, but not at once', { pods: [podOf('ada-1', { phase: 'Failed', disruption: 'TerminationByKubelet', createdAt: '2026-11-22T09:59:55Z' })] }, []],
  ['the node ran short a while after: made anew', { pods: [podOf('ada-1', { phase: 'Failed', disruption: 'TerminationByKubelet' })] }, ['deletePod ada-1-uid', 'createPod ada-2', 'Warning NodePressure']],
  ['the node is lost: nothing before Kubernetes gives the pod up', { node: { name: 'sparky1', ready: false } }, []],
  ['the node is lost and its pod given up: made anew', { node: { name: 'sparky1', ready: false }, pods: [podOf('ada-1', { deletionTimestamp: '2026-11-22T09:59:59Z', disruption: 'DeletionByTaintManager' })] }, ['createPod ada-2', 'Warning NodeLost']],
  ['a spec that cannot be read: the pod stays', { agent: { ...agentOf({ status: awake }), spec: undefined, problem: 'spec: bad' } }, []],
  ['user namespace required and not to be had: no pod', { agent: agentOf({ spec: { isolation: { userNamespace: 'Required' } } }), pods: [], settings: { ...SETTINGS, userNamespaces: 'Off' } }, []],
  [
    'volume on a lost node, MoveWithoutVolume: the volume is given up',
    { agent: agentOf(moving), claim: claimOf('ada-uid', { node: 'sparky1' }), volumeNode: { name: 'sparky1', ready: false }, pods: [podOf('ada-1', { deletionTimestamp: '2026-11-22T09:59:00Z' }), podOf('ada-2', unschedulable)] },
    ['deletePod ada-1-uid in 0 s', 'deleteClaim claim-uid', 'Warning VolumeAbandoned'],
  ],
  [
    'volume on a node that is only full or cordoned: the volume is kept',
    { agent: agentOf(moving), claim: claimOf('ada-uid', { node: 'sparky1' }), volumeNode: { name: 'sparky1', ready: true }, pods: [podOf('ada-2', unschedulable)] },
    [],
  ],
  [
    'volume on a lost node, Wait: the volume is kept',
    { agent: agentOf({ status: moving.status }), claim: claimOf('ada-uid', { node: 'sparky1' }), volumeNode: { name: 'sparky1', ready: false }, pods: [podOf('ada-2', unschedulable)] },
    [],
  ],
  ['deleted: pod, account, finalizer', { agent: agentOf({ deletionTimestamp: '2026-11-22T09:59:55Z', status: awake }) }, ['deletePod ada-1-uid', 'closeAccount', 'finalizers=']],
  ['deleted, the api away for a minute: let go without it', { agent: agentOf({ deletionTimestamp: '2026-11-22T09:59:00Z', finalizers: ['other', 'hamlet.village/account'] }), pods: [] }, ['Warning AccountNotClosed', 'finalizers=other']],
  ['deleted and let go: nothing', { agent: agentOf({ deletionTimestamp: '2026-11-22T09:59:55Z', finalizers: ['other'] }), pods: [] }, []],
];

for (const [name, parts, actions] of TABLE) {
  test(name, () => assert.deepEqual(plan(observedOf(parts), NOW).actions.map(brief), actions));
}

test('what waits is looked at again in time', () => {
  const failed = observedOf({ agent: agentOf({ status: awake }), pods: [podOf('ada-1', { phase: 'Failed', createdAt: '2026-11-22T09:59:55Z' })] });
  assert.equal(plan(failed, NOW).requeueAfterMs, 5_000);
  const deleted = observedOf({ agent: agentOf({ deletionTimestamp: '2026-11-22T09:59:55Z' }) });
  assert.equal(plan(observedOf({ upgrade: 'waits' }), NOW).requeueAfterMs, 5_000);
  assert.equal(plan(deleted, NOW).requeueAfterMs, 55_000);
});

test('the pod of a cycle carries the reboot that it stands for', () => {
  const observed = observedOf({ agent: agentOf({ spec: { rebootedAt: '2026-11-22T09:59:00Z' }, status: awake }) });
  const create = plan(observed, NOW).actions.find((action) => action.kind === 'createPod');
  assert.deepEqual(create?.manifest.metadata['annotations'], { 'hamlet.village/tier': 'tier-0', 'hamlet.village/fixed-compute': '', 'hamlet.village/image': SETTINGS.image, 'hamlet.village/rebooted-at': '2026-11-22T09:59:00Z' });
});

test('a resize asks for cpu and memory, half of each as request, and is looked at after 30 s', () => {
  const { actions, requeueAfterMs } = plan(observedOf({ standing: standingOf({ balanceTier: 'tier-1' }) }), NOW);
  const resources = { requests: { cpu: '500m', memory: '512Mi' }, limits: { cpu: '1', memory: '1Gi' } };
  assert.partialDeepStrictEqual(actions, [{ kind: 'resizePod', name: 'ada-1', uid: 'ada-1-uid', spec: { containers: [{ name: 'resident', resources }] }, instead: { metadata: { name: 'ada-2' } } }]);
  assert.equal(requeueAfterMs, 30_000);
});

test('a pod that the scheduler holds is never made anew for waiting, however long', () => {
  const gated = { nodeName: undefined, phase: 'Pending', container: undefined, scheduled: { status: 'False', reason: 'SchedulingGated', message: 'blocked by a gate' } };
  for (const state of [unschedulable, gated, { ...gated, scheduled: undefined }]) {
    const observed = observedOf({ agent: agentOf({ status: awake }), pods: [podOf('ada-1', { ...state, createdAt: '2026-11-22T10:00:00Z' })], presence: undefined });
    for (let minute = 0; minute <= 72 * 60; minute += 1) {
      assert.deepEqual(plan(observed, NOW + minute * 60_000), { actions: [] }, `${state.scheduled?.reason} after ${minute} min`);
    }
  }
});
