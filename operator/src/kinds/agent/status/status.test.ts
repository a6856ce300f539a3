import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONDITION_TYPES, REASONS, AgentStatus } from '@hamlet/contract/kinds';
import { sizeOf } from '../child/compute.ts';
import { statusPatch } from './status-patch.ts';
import { isOnItsWay, statusOf } from './status.ts';
import { agentOf, claimOf, claimOfOthers, holdFor, observedOf, podOf, PRICED_TIERS, SETTINGS, standingOf, TIER_1, tierOf } from '../testing/sample-state.ts';
import type { ContainerState, Observed } from '../views.ts';

const NOW = '2026-11-22T10:00:00Z';
const status1 = { cycle: 1, power: 'Awake', podName: 'ada-1', tier: 'tier-0' } as const;
const container = (parts: Partial<ContainerState>): ContainerState => ({ running: false, restarts: 0, waitingReason: undefined, waitingMessage: undefined, lastEnd: undefined, ...parts });
const waiting = (waitingReason: string, waitingMessage?: string): Partial<Observed> => ({ presence: undefined, pods: [podOf('ada-1', { phase: 'Pending', container: container({ waitingReason, waitingMessage }) })] });
const unscheduled = (message: string): Partial<Observed> => ({ pods: [podOf('ada-1', { nodeName: undefined, phase: 'Pending', container: undefined, scheduled: { status: 'False', reason: 'Unschedulable', message } })] });

const TABLE: readonly (readonly [string, Partial<Observed>, { readonly type: string; readonly status?: string; readonly reason: string; readonly says: RegExp }])[] = [
  ['connected', {}, { type: 'Ready', status: 'True', reason: 'Ready', says: /in the world/ }],
  ['a spec that cannot be read', { agent: { ...agentOf(), spec: undefined, problem: 'home: write an id' }, pods: [] }, { type: 'Accepted', reason: 'InvalidSpec', says: /home: write an id/ }],
  ['pinned to a tier that is not there', { agent: agentOf({ spec: { entitlement: { policy: 'Pinned', name: 'gold' } } }), pods: [] }, { type: 'Entitled', reason: 'EntitlementNotFound', says: /"gold".*create it or name another/ }],
  ['no tier for a balance of 0', { agent: agentOf(), pods: [], tiers: [tierOf('tier-1', 1, { minBalance: '10' })] }, { type: 'Entitled', reason: 'NoEntitlementReached', says: /minBalance "0"/ }],
  ['quarantined', { standing: standingOf({ quarantined: true }), pods: [] }, { type: 'Entitled', reason: 'Quarantined', says: /lift the quarantine/ }],
  ['frozen', { standing: standingOf({ frozen: true }), pods: [] }, { type: 'Entitled', reason: 'Frozen', says: /thaw/ }],
  ['banned, with the reason given', { standing: standingOf({ banned: true, frozen: true, reason: 'spam' }), pods: [] }, { type: 'Entitled', reason: 'Banned', says: /until the ban is lifted.*the reason given: spam/ }],
  ['killed', { standing: standingOf({ killed: true, banned: true }), pods: [] }, { type: 'Entitled', reason: 'Killed', says: /killed/ }],
  ['tokens revoked: the pod stays, and is told why nobody listens', { standing: standingOf({ tokenRevoked: true, reason: 'leaked' }) }, { type: 'Connected', reason: 'TokenRevoked', says: /leaked/ }],
  ['the api never heard, and new', { knowledge: 'None', agent: agentOf(), pods: [] }, { type: 'Entitled', reason: 'ApiUnreachable', says: /grants nothing new/ }],
  ['the api away, and new', { knowledge: 'Last', agent: agentOf(), pods: [] }, { type: 'Entitled', reason: 'ApiUnreachable', says: /grants nothing new/ }],
  ['no seat: the place in the queue and what is short', { agent: agentOf(), pods: [], seat: { granted: false, reason: 'NoSeat', position: 3, blocking: 'cpu' } }, { type: 'Admitted', reason: 'NoSeat', says: /no node has cpu left for a seat; place 3 in the queue/ }],
  ['no room on the one node', { agent: agentOf(), pods: [], seat: { granted: false, reason: 'NodeFull', blocking: 'node sparky1' } }, { type: 'Admitted', reason: 'NodeFull', says: /node sparky1, the only node/ }],
  ['GPUs booked', { agent: agentOf(), pods: [], seat: { granted: false, reason: 'GpuBooked', blocking: 'nvidia.com/gpu' } }, { type: 'Admitted', reason: 'GpuBooked', says: /every nvidia.com\/gpu is taken/ }],
  ['money is asked for', { agent: agentOf(), pods: [], tiers: PRICED_TIERS, standing: standingOf({ balanceTier: 'tier-1' }) }, { type: 'Admitted', reason: 'HoldPending', says: /an hour of tier-1 costs 1 aiDollars: the api is asked/ }],
  ['money is asked for once there is a seat', { agent: agentOf(), pods: [], tiers: PRICED_TIERS, standing: standingOf({ balanceTier: 'tier-1' }), seat: { granted: false, reason: 'NoSeat', blocking: 'cpu' } }, { type: 'Admitted', reason: 'NoSeat', says: /cpu/ }],
  ['pinned to what it cannot pay, for which no seat is counted', { agent: agentOf({ spec: { entitlement: { policy: 'Pinned', name: 'tier-1' } } }), pods: [], tiers: PRICED_TIERS, hold: holdFor(undefined, { tier: 'tier-1', reason: 'NotPaid' }), seat: { granted: false } }, { type: 'Admitted', reason: 'NotPaid', says: /an hour of tier-1 costs 1 aiDollars/ }],
  ['nothing is set aside for it', { agent: agentOf({ spec: { entitlement: { policy: 'Pinned', name: 'tier-1' } } }), pods: [], tiers: PRICED_TIERS, hold: holdFor(undefined, { tier: 'tier-1', reason: 'HoldRefused' }), seat: { granted: false } }, { type: 'Admitted', reason: 'HoldRefused', says: /cannot be set aside/ }],
  ['displaced', { agent: agentOf({ status: { cycle: 2, power: 'Asleep' } }), pods: [], seat: { granted: false, reason: 'Displaced', blocking: 'agent cleo' } }, { type: 'Admitted', reason: 'Displaced', says: /agent cleo is of a higher tier/ }],
  ['seats being counted', { agent: agentOf(), pods: [], seat: { granted: false } }, { type: 'Admitted', reason: 'SeatPending', says: /being counted/ }],
  ['no user namespaces', { agent: agentOf({ spec: { isolation: { userNamespace: 'Required' } } }), pods: [], settings: { ...SETTINGS, userNamespaces: 'Off' } }, { type: 'Admitted', reason: 'UserNamespaceUnavailable', says: /write Preferred/ }],
  ['asleep', { agent: agentOf({ spec: { power: 'Asleep' }, status: { cycle: 2, power: 'Asleep' } }), pods: [] }, { type: 'Connected', reason: 'Asleep', says: /write Awake/ }],
  ["somebody else's volume claim has the name", { agent: agentOf({ status: { cycle: 1, power: 'Awake' } }), pods: [], claim: claimOfOthers }, { type: 'PodScheduled', reason: 'VolumeTaken', says: /ada-home was not made for this Agent/ }],
  ['the pod is refused', { agent: agentOf({ status: { cycle: 1, power: 'Awake' } }), pods: [], refusal: { reason: 'PodRefused', message: 'the API server refuses: pods "ada-1" is forbidden: exceeded quota' } }, { type: 'PodScheduled', reason: 'PodRefused', says: /exceeded quota/ }],
  ['the old volume is being deleted', { agent: agentOf({ status: { cycle: 1, power: 'Awake' } }), pods: [], claim: claimOf('old', { deletionTimestamp: NOW }) }, { type: 'PodScheduled', reason: 'Waiting', says: /ada-home of an earlier life/ }],
  ['unschedulable: the words of the scheduler', unscheduled('0/2 nodes are available: 2 Insufficient nvidia.com/gpu.'), { type: 'PodScheduled', reason: 'Unschedulable', says: /pod ada-1: 0\/2 nodes are available: 2 Insufficient nvidia.com\/gpu/ }],
  [
    'the volume lies on a node that is away',
    { ...unscheduled('0/2 nodes are available: 1 node(s) had volume node affinity conflict'), volumeNode: { name: 'sparky1', ready: false } },
    { type: 'PodScheduled', reason: 'VolumePinned', says: /the volume lies on node sparky1, which does not answer/ },
  ],
  [
    'the volume lies on a node that is cordoned',
    { ...unscheduled("0/2 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity, 1 node(s) were unschedulable"), volumeNode: { name: 'sparky1', ready: true, cordoned: true } },
    { type: 'PodScheduled', reason: 'VolumePinned', says: /node sparky1, which is cordoned/ },
  ],
  ['pinned to a node that is cordoned', { ...unscheduled('0/2 nodes are available: 1 node(s) were unschedulable'), pinnedNode: { name: 'sparky2', ready: true, cordoned: true } }, { type: 'PodScheduled', reason: 'NodeCordoned', says: /placement.nodeName is sparky2, which is cordoned/ }],
  ['pinned to a node that is lost', { ...unscheduled('0/2 nodes are available'), pinnedNode: { name: 'sparky2', ready: false } }, { type: 'PodScheduled', reason: 'NodeLost', says: /sparky2, which does not answer/ }],
  ['pinned to a node that never was: the words of the scheduler', { ...unscheduled('0/2 nodes are available'), pinnedNode: { name: 'sparky9', ready: false, exists: false } }, { type: 'PodScheduled', reason: 'Unschedulable', says: /0\/2 nodes/ }],
  ['no scheduler yet', { pods: [podOf('ada-1', { nodeName: undefined, phase: 'Pending', scheduled: undefined })] }, { type: 'PodScheduled', reason: 'PodPending', says: /waits for the scheduler/ }],
  ['image not to be had', waiting('ImagePullBackOff', 'Back-off pulling image "hamlet/agent:1"'), { type: 'Connected', reason: 'ImageUnavailable', says: /hamlet\/agent:1/ }],
  ['crash loop', { presence: undefined, pods: [podOf('ada-1', { container: container({ waitingReason: 'CrashLoopBackOff', restarts: 4, lastEnd: 'Error with exit code 3' }) })] }, { type: 'Connected', reason: 'CrashLooping', says: /ended 4 times, last: Error with exit code 3/ }],
  ['bad container', waiting('CreateContainerConfigError', 'secret "x" not found'), { type: 'Connected', reason: 'ContainerWaiting', says: /secret "x" not found/ }],
  ['starting', waiting('ContainerCreating'), { type: 'Connected', reason: 'Starting', says: /starting/ }],
  ['running, not connected', { presence: undefined }, { type: 'Connected', reason: 'NotConnected', says: /has not reached the api/ }],
  ['connected in an older cycle only', { agent: agentOf({ status: { ...status1, cycle: 2, podName: 'ada-2' } }), pods: [podOf('ada-2')] }, { type: 'Connected', reason: 'NotConnected', says: /ada-2/ }],
  ['connected in another life only', { presence: { uid: 'other', cycle: 1, connected: true, lastSeen: NOW } }, { type: 'Connected', reason: 'NotConnected', says: /ada-1/ }],
  ['the old pod still ends', { presence: undefined, agent: agentOf({ status: { ...status1, cycle: 2, podName: 'ada-2' } }), pods: [podOf('ada-1', { deletionTimestamp: NOW }), podOf('ada-2')] }, { type: 'Connected', reason: 'WaitingForPredecessor', says: /ada-1 is ending/ }],
  ['the api is away: unknown', { presence: undefined, knowledge: 'Last' }, { type: 'Connected', status: 'Unknown', reason: 'ApiUnreachable', says: /does not hear/ }],
  ['the api is away, connected before: kept', { knowledge: 'Last' }, { type: 'Connected', status: 'True', reason: 'Connected', says: /cycle 1/ }],
  ['the node is lost', { node: { name: 'sparky1', ready: false } }, { type: 'Connected', reason: 'NodeLost', says: /sparky1 does not answer/ }],
];

for (const [name, parts, { type, status = 'False', reason, says }] of TABLE) {
  test(`${type}: ${name}`, () => {
    const { conditions = [] } = statusOf(observedOf(parts), NOW);
    const found = conditions.find((condition) => condition.type === type);
    assert.equal(`${found?.status} ${found?.reason}`, `${status} ${reason}`);
    assert.match(found?.message ?? '', says);
    assert.ok(reason === 'Unschedulable' || reason in REASONS, `${reason} is not in the contract`);
    const ready = conditions.find((condition) => condition.type === 'Ready');
    assert.equal(ready?.reason, status === 'True' && type === 'Connected' ? 'Ready' : reason, 'Ready tells the first cause');
  });
}

test('every condition is always present, and the status is one of the contract', () => {
  const status = statusOf(observedOf(), NOW);
  assert.deepEqual(status.conditions?.map(({ type }) => type), CONDITION_TYPES);
  assert.deepEqual(AgentStatus.parse(status), status);
  assert.deepEqual({ ...status, conditions: [] }, { conditions: [], observedGeneration: 1, cycle: 1, power: 'Awake', tier: 'tier-0', nodeName: 'sparky1', podName: 'ada-1', lastSeen: '2026-11-22T09:00:01Z' });
});

const resizedIn = (parts: Partial<Observed>): string => {
  const found = statusOf(observedOf(parts), NOW).conditions?.find(({ type }) => type === 'Resized');
  return `${found?.status} ${found?.reason}: ${found?.message}`;
};

test('Resized tells how far the pod is from the compute of its tier, and Ready does not wait for it', () => {
  const pending = (reason: string): Partial<Observed> => ({ pods: [podOf('ada-1', { given: sizeOf(TIER_1), resize: { type: 'PodResizePending', reason, message: 'in the words of the node' } })] });
  assert.match(resizedIn({}), /^True AsEntitled: pod ada-1 has the compute of tier tier-0: cpu 500m, memory 512Mi$/);
  assert.match(resizedIn({ pods: [] }), /^True AsEntitled/);
  assert.match(resizedIn({ standing: standingOf({ balanceTier: 'tier-1' }) }), /^False Resizing: .*about to/);
  assert.match(resizedIn({ pods: [podOf('ada-1', { given: sizeOf(TIER_1) })] }), /^False Resizing: the node/);
  assert.match(resizedIn(pending('Deferred')), /^False ResizeDeferred: .*in the words of the node/);
  assert.match(resizedIn(pending('Infeasible')), /^False ResizeRefused: .*can never.*in the words of the node/);
  assert.match(resizedIn({ standing: standingOf({ balanceTier: 'tier-1' }), resize: { sinceMs: 0, refusal: { message: 'no', newPodToo: true } } }), /^False ResizeRefused: the API server refuses to resize pod ada-1: no$/);
  assert.match(resizedIn({ standing: standingOf({ balanceTier: 'tier-2' }) }), /^False ReplacementPending/);
  assert.match(resizedIn({ standing: standingOf({ balanceTier: 'tier-2' }), seat: { granted: true, reason: 'GpuBooked', blocking: 'nvidia.com/gpu', position: 2 } }), /^False GpuBooked: pod ada-1 stays as it is: .*every nvidia.com\/gpu is taken; place 2/);
  const { conditions = [] } = statusOf(observedOf(pending('Deferred')), NOW);
  assert.equal(conditions.find(({ type }) => type === 'Ready')?.status, 'True');
});

test('since when an agent waits for a seat is kept while it waits', () => {
  const waits = { pods: [], seat: { granted: false, reason: 'NoSeat' } } as const;
  assert.equal(statusOf(observedOf({ agent: agentOf(), ...waits }), NOW).waitingSince, NOW);
  const since = { waitingSince: '2026-11-22T08:00:00Z' };
  assert.equal(statusOf(observedOf({ agent: agentOf({ status: since }), ...waits }), NOW).waitingSince, since.waitingSince);
  assert.equal(statusOf(observedOf({ agent: agentOf({ status: since }), pods: [], seat: { granted: false } }), NOW).waitingSince, since.waitingSince, 'while it is counted anew');
  assert.equal(statusOf(observedOf({ agent: agentOf({ status: { ...status1, ...since } }) }), NOW).waitingSince, undefined);
});

test('with the api never heard, what was written of the tier stays as it was', () => {
  const written = statusOf(observedOf({ standing: standingOf({ balanceTier: 'tier-1' }), pods: [podOf('ada-1', { tier: TIER_1 })] }), NOW);
  const agent = { ...agentOf(), status: written };
  const later = statusOf(observedOf({ agent, knowledge: 'None', pods: [podOf('ada-1', { tier: TIER_1 })] }), '2026-11-22T11:00:00Z');
  assert.equal(statusPatch(written, later), undefined);
});

test('only the first status of an agent waits for its pod, and not if something is wrong', () => {
  const starts = podOf('ada-1', { phase: 'Pending', scheduled: undefined, nodeName: undefined, container: undefined });
  assert.ok(isOnItsWay(observedOf({ agent: agentOf(), pods: [starts] })));
  assert.ok(!isOnItsWay(observedOf({ agent: agentOf({ status: status1 }), pods: [starts] })));
  assert.ok(!isOnItsWay(observedOf({ agent: agentOf() })), 'it runs');
  assert.ok(!isOnItsWay(observedOf({ agent: agentOf(), ...unscheduled('0/2 nodes') })));
  assert.ok(!isOnItsWay(observedOf({ agent: agentOf(), ...waiting('ImagePullBackOff') })));
});

test('the time of a condition moves with its status, not with its words', () => {
  const first = statusOf(observedOf({ presence: undefined }), '2026-11-22T09:00:00Z');
  const agent = { ...agentOf(), status: first };
  const worded = statusOf(observedOf({ agent, ...waiting('ContainerCreating') }), NOW);
  const timeOf = (status: AgentStatus, type: string): string | undefined => status.conditions?.find((condition) => condition.type === type)?.lastTransitionTime;
  assert.equal(timeOf(worded, 'Connected'), '2026-11-22T09:00:00Z');
  assert.equal(timeOf(statusOf(observedOf({ agent }), NOW), 'Connected'), NOW);
});

test('long messages are cut to what a status holds', () => {
  const { conditions = [] } = statusOf(observedOf(unscheduled('x'.repeat(2_000))), NOW);
  assert.ok(conditions.every(({ message }) => message.length <= 512));
});

test('a status is written only where it differs, and what is gone is removed', () => {
  const status = statusOf(observedOf(), NOW);
  assert.equal(statusPatch(status, structuredClone(status)), undefined);
  assert.deepEqual(statusPatch({ cycle: 1, podName: 'ada-1' }, { cycle: 2 }), { cycle: 2, podName: null });
});
