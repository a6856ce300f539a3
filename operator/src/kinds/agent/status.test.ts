import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import type { CapabilitySummary } from '@hamlet/contract';
import type { SeatReason } from '@hamlet/core/seats';
import { AgentStatus, CONDITION_TYPES, REASONS, type Condition } from '@hamlet/contract/kinds';
import type { ContainerState } from '../../objects/pod-view.ts';
import { eventsFor } from './events-for.ts';
import { isOnItsWay, statusOf } from './status.ts';
import {
  agentOf,
  claimOf,
  claimOfOthers,
  container,
  holdFor,
  observedOf,
  podOf,
  PRICED_TIERS,
  SETTINGS,
  tierOf,
  unscheduled,
  waiting,
  type ObservedParts,
} from './testing/sample-state.ts';

const NOW = '2026-11-22T10:00:00Z';
const KILLED = 'OOMKilled with exit code 137 at 2026-11-22T09:59:00Z';

/** A connected agent whose hands differ from running ones. */
const withHands = (parts: Partial<ContainerState> | undefined, pod: ObservedParts['pod'] = {}): ObservedParts => ({
  pod: { handsContainer: parts === undefined ? undefined : container(parts), ...pod },
});

const report = (parts: Partial<CapabilitySummary> = {}): ObservedParts => ({
  capabilities: {
    agent_id: 'ada',
    uid: 'ada-uid',
    cycle: 1,
    checked: 6,
    broken: 1,
    message: 'mcp files: mcp_unreachable: no such program; correct its command',
    ...parts,
  },
});

const CYCLE_2 = { cycle: 2, power: 'Awake', podName: 'ada-2', tier: 'tier-0' } as const;
const AWAKE = { cycle: 1, power: 'Awake' } as const;
const ASLEEP = { cycle: 2, power: 'Asleep' } as const;
const PINNED = { entitlement: { policy: 'Pinned', name: 'tier-1' } };
const LOST = { name: 'sparky1', ready: false };
const CORDONED = { name: 'sparky1', ready: true, cordoned: true };
const CRASH_LOOP = { waitingReason: 'CrashLoopBackOff', restarts: 4, lastEnd: 'Error with exit code 3' };
const OUT_OF_MEMORY = { lastEnd: KILLED, outOfMemory: true };
const NEW: ObservedParts = { status: {}, pods: [] };
const MAY_PAY: ObservedParts = { ...NEW, tiers: PRICED_TIERS, standing: { balance_tier: 'tier-1' } };

const noSeat = (reason: SeatReason, blocking: string, position?: number): ObservedParts => ({
  ...NEW,
  seat: { granted: false, reason, blocking, ...(position && { position }) },
});

const cannotPay = (reason: 'NotPaid' | 'HoldRefused'): ObservedParts => ({
  spec: PINNED,
  pods: [],
  tiers: PRICED_TIERS,
  hold: holdFor(undefined, { tier: 'tier-1', reason }),
  seat: { granted: false },
});

const TABLE: readonly (readonly [string, ObservedParts, RegExp])[] = [
  ['connected', {}, /^Ready True Ready: .*in the world/],
  [
    'a spec that cannot be read',
    { agent: { ...agentOf(), spec: undefined, problem: 'home: write an id' }, pods: [] },
    /^Accepted False InvalidSpec: .*home: write an id/,
  ],
  [
    'pinned to a tier that does not exist',
    { spec: { entitlement: { policy: 'Pinned', name: 'gold' } }, pods: [] },
    /^Entitled False EntitlementNotFound: .*"gold".*create it or name another/,
  ],
  [
    'no tier for a balance of 0',
    { ...NEW, tiers: [tierOf('tier-1', 1, { minBalance: '10' })] },
    /^Entitled False NoEntitlementReached: .*minBalance "0"/,
  ],
  ['quarantined', { standing: { quarantined: true }, pods: [] }, /^Entitled False Quarantined: .*lift the quarantine/],
  ['frozen', { standing: { frozen: true }, pods: [] }, /^Entitled False Frozen: .*thaw/],
  [
    'banned, with the reason of the admin',
    { standing: { banned: true, frozen: true, reason: 'spam' }, pods: [] },
    /^Entitled False Banned: .*lifts the ban.*the reason of the admin: spam/,
  ],
  ['killed', { standing: { killed: true, banned: true }, pods: [] }, /^Entitled False Killed: .*killed/],
  [
    'tokens revoked: the pod stays, and the condition says why the api refuses it',
    { standing: { token_revoked: true, reason: 'leaked' } },
    /^Connected False TokenRevoked: .*leaked/,
  ],
  [
    'new, before the first report of the api',
    { ...NEW, apiState: 'None' },
    /^Entitled False ApiUnreachable: .*grants nothing new/,
  ],
  ['the api away, and new', { ...NEW, apiState: 'Last' }, /^Entitled False ApiUnreachable: .*grants nothing new/],
  [
    'no seat: the message has the place in the queue and the lacking resource',
    noSeat('NoSeat', 'cpu', 3),
    /^Admitted False NoSeat: .*no node has cpu left for a seat; place 3 in the queue/,
  ],
  [
    'the only node is full',
    noSeat('NodeFull', 'node sparky1'),
    /^Admitted False NodeFull: .*node sparky1, the only node/,
  ],
  ['GPUs booked', noSeat('GpuBooked', 'nvidia.com/gpu'), /^Admitted False GpuBooked: .*every nvidia.com\/gpu is taken/],
  [
    'money is asked for',
    MAY_PAY,
    /^Admitted False HoldPending: .*an hour of tier-1 costs 1 aiDollars: the operator asks the api/,
  ],
  [
    'money is asked for once there is a seat',
    { ...MAY_PAY, ...noSeat('NoSeat', 'cpu') },
    /^Admitted False NoSeat: .*cpu/,
  ],
  [
    'pinned to a tier that it cannot pay: no seat is counted',
    cannotPay('NotPaid'),
    /^Admitted False NotPaid: .*an hour of tier-1 costs 1 aiDollars/,
  ],
  [
    'the api refused to reserve money',
    cannotPay('HoldRefused'),
    /^Admitted False HoldRefused: .*cannot reserve that much/,
  ],
  [
    'displaced',
    { status: ASLEEP, pods: [], seat: { granted: false, reason: 'Displaced', blocking: 'agent cleo' } },
    /^Admitted False Displaced: .*agent cleo has a higher tier/,
  ],
  ['seats being counted', { ...NEW, seat: { granted: false } }, /^Admitted False SeatPending: .*counting the seats/],
  [
    'no user namespaces',
    { spec: { isolation: { userNamespace: 'Required' } }, pods: [], settings: { ...SETTINGS, userNamespaces: 'Off' } },
    /^Admitted False UserNamespaceUnavailable: .*write Preferred/,
  ],
  ['asleep', { spec: { power: 'Asleep' }, status: ASLEEP, pods: [] }, /^Connected False Asleep: .*write Awake/],
  [
    'a volume claim of another owner has the name',
    { status: AWAKE, pods: [], claim: claimOfOthers },
    /^PodScheduled False VolumeTaken: .*ada-home was not created for this Agent/,
  ],
  [
    'the pod is refused',
    { status: AWAKE, pods: [], refusal: { reason: 'PodRefused', message: 'exceeded quota' } },
    /^PodScheduled False PodRefused: .*exceeded quota/,
  ],
  [
    'the old volume is being deleted',
    { status: AWAKE, pods: [], claim: claimOf('old', { deletionTimestamp: NOW }) },
    /^PodScheduled False Waiting: .*ada-home of an earlier Agent/,
  ],
  [
    'unschedulable: the message of the scheduler',
    unscheduled('2 Insufficient nvidia.com/gpu.'),
    /^PodScheduled False Unschedulable: .*pod ada-1: 2 Insufficient nvidia.com\/gpu/,
  ],
  [
    'the volume is on a lost node',
    { ...unscheduled('1 node(s) had volume node affinity conflict'), volumeNode: LOST },
    /^PodScheduled False VolumePinned: .*the volume is on node sparky1, which does not answer/,
  ],
  [
    'the volume is on a cordoned node',
    { ...unscheduled("1 node(s) didn't match PersistentVolume's node affinity"), volumeNode: CORDONED },
    /^PodScheduled False VolumePinned: .*node sparky1, which is cordoned/,
  ],
  [
    'pinned to a cordoned node',
    { ...unscheduled('1 node(s) were unschedulable'), pinnedNode: CORDONED },
    /^PodScheduled False NodeCordoned: .*placement.nodeName is sparky1, which is cordoned/,
  ],
  [
    'pinned to a lost node',
    { ...unscheduled('0/2 nodes'), pinnedNode: LOST },
    /^PodScheduled False NodeLost: .*sparky1, which does not answer/,
  ],
  [
    'pinned to an unknown node',
    { ...unscheduled('0/2 nodes'), pinnedNode: { name: 'sparky9', ready: false, exists: false } },
    /^PodScheduled False Unschedulable: .*0\/2 nodes/,
  ],
  [
    'no scheduler yet',
    { pod: { nodeName: undefined, phase: 'Pending', scheduled: undefined } },
    /^PodScheduled False PodPending: .*waits for the scheduler/,
  ],
  [
    'image not to be had',
    waiting('ImagePullBackOff', 'Back-off pulling image "hamlet/agent:1"'),
    /^Connected False ImageUnavailable: .*hamlet\/agent:1/,
  ],
  [
    'crash loop',
    { presence: undefined, pod: { container: container(CRASH_LOOP) } },
    /^Connected False CrashLooping: .*ended 4 times, last: Error with exit code 3/,
  ],
  [
    'bad container',
    waiting('CreateContainerConfigError', 'secret "x" not found'),
    /^Connected False ContainerWaiting: .*secret "x" not found/,
  ],
  ['starting', waiting('ContainerCreating'), /^Connected False Starting: .*starting/],
  ['running, not connected', { presence: undefined }, /^Connected False NotConnected: .*has not reached the api/],
  [
    'connected in an older cycle only',
    { status: CYCLE_2, pods: [podOf('ada-2')] },
    /^Connected False NotConnected: .*ada-2/,
  ],
  [
    'connected in an earlier life only',
    { presence: { agent_id: 'ada', uid: 'other', cycle: 1, connected: true, last_seen: NOW } },
    /^Connected False NotConnected: .*ada-1/,
  ],
  [
    'the old pod still ends',
    { presence: undefined, status: CYCLE_2, pods: [podOf('ada-1', { deletionTimestamp: NOW }), podOf('ada-2')] },
    /^Connected False WaitingForPredecessor: .*ada-1 is ending/,
  ],
  [
    'the api is unreachable',
    { presence: undefined, apiState: 'Last' },
    /^Connected Unknown ApiUnreachable: .*does not answer/,
  ],
  ['the api does not answer, connected before: kept', { apiState: 'Last' }, /^Connected True Connected: .*cycle 1/],
  ['the node is lost', { node: LOST }, /^Connected False NodeLost: .*sparky1 does not answer/],
  ['they run', {}, /^HandsReady True HandsRunning: .*the hands run in pod ada-1/],
  ['no report of the node yet', withHands(undefined), /^HandsReady False Starting: .*ada-1 yet/],
  ['they start', withHands({ waitingReason: 'ContainerCreating' }), /^HandsReady False Starting: .*starting/],
  ['before their first state', withHands({}), /^HandsReady False Starting: .*starting/],
  [
    'their image cannot be pulled',
    withHands({ waitingReason: 'ImagePullBackOff', waitingMessage: 'Back-off pulling image "example.org/hands:2"' }),
    /^HandsReady False ImageUnavailable: the hands: ImagePullBackOff: Back-off pulling image "example.org\/hands:2"$/,
  ],
  [
    'they cannot be made',
    withHands({ waitingReason: 'RunContainerError', waitingMessage: 'exec: "hamlet-hands": not found' }),
    /^HandsReady False ContainerWaiting: the hands: RunContainerError: exec: "hamlet-hands": not found$/,
  ],
  [
    'a crash loop',
    withHands(CRASH_LOOP),
    /^HandsReady False HandsCrashLooping: .*last: Error with exit code 3; restarts: 4; the node waits/,
  ],
  [
    'a crash loop because of memory',
    withHands({ ...CRASH_LOOP, ...OUT_OF_MEMORY }),
    /^HandsReady False HandsOutOfMemory: .*OOMKilled with exit code 137 at 2026-11-22T09:59:00Z; restarts: 4/,
  ],
  [
    'they have just ended',
    withHands({ lastEnd: 'Error with exit code 1' }),
    /^HandsReady False HandsRestarted: .*last: Error with exit code 1; restarts: 0; the node is about to start them again/,
  ],
  ['out of memory', withHands({ ...OUT_OF_MEMORY }), /^HandsReady False HandsOutOfMemory: .*OOMKilled/],
  [
    'they run again',
    withHands({ running: true, restarts: 1, lastEnd: 'Error with exit code 1' }),
    /^HandsReady True HandsRestarted: .*last: Error with exit code 1; restarts: 1; they run again/,
  ],
  [
    'they run again after memory',
    withHands({ running: true, restarts: 2, ...OUT_OF_MEMORY }),
    /^HandsReady True HandsOutOfMemory: .*OOMKilled.*restarts: 2; they run again/,
  ],
  ['an agent without hands', withHands(undefined, { hands: '' }), /^HandsReady True NoHands: .*no container for hands/],
  [
    'an older operator',
    withHands(undefined, { hands: undefined }),
    /^HandsReady True NoHands: .*no container for hands/,
  ],
  [
    'a pod that ends',
    withHands({ lastEnd: 'Completed with exit code 0' }, { deletionTimestamp: NOW }),
    /^HandsReady False Waiting: .*ada-1 is ending/,
  ],
  [
    'a pod that has failed',
    withHands({ lastEnd: KILLED }, { phase: 'Failed' }),
    /^HandsReady False Waiting: .*ada-1 is ending/,
  ],
  ['a lost node', { node: LOST }, /^HandsReady Unknown Waiting: .*sparky1 does not answer/],
  ['no node yet', unscheduled('0/2 nodes'), /^HandsReady False Waiting: .*PodScheduled/],
  ['asleep', { spec: { power: 'Asleep' }, status: ASLEEP, pods: [] }, /^HandsReady False Asleep: .*write Awake/],
  ['no report yet', {}, /^CapabilitiesReady True NothingMissing: .*nothing as missing/],
  ['a whole agent', report({ broken: 0, message: '' }), /^CapabilitiesReady True NothingMissing: .*nothing as missing/],
  [
    'a server is missing',
    report(),
    /^CapabilitiesReady False CapabilityMissing: 1 of 6 are missing: mcp files: .*; correct its command$/,
  ],
  ['the report of an earlier cycle', report({ cycle: 0 }), /^CapabilitiesReady True NothingMissing: .*nothing/],
  ['the report of another life', report({ uid: 'another' }), /^CapabilitiesReady True NothingMissing: .*nothing/],
  ['not connected', { ...report(), presence: undefined }, /^CapabilitiesReady False Waiting: .*Connected/],
  [
    'a long message is shortened',
    report({ message: 'x'.repeat(400), broken: 48, checked: 48 }),
    /^CapabilitiesReady False CapabilityMissing: .*x{400}$/,
  ],
  [
    'asleep',
    { ...report(), spec: { power: 'Asleep' }, status: ASLEEP, pods: [] },
    /^CapabilitiesReady False Asleep: .*write Awake/,
  ],
];

const conditionsOf = (parts: ObservedParts): readonly Condition[] => statusOf(observedOf(parts), NOW).conditions ?? [];
const readyOf = (parts: ObservedParts): Condition | undefined =>
  conditionsOf(parts).find(({ type }) => type === 'Ready');

for (const [name, parts, wanted] of TABLE) {
  const [, type = '', status, reason = ''] = /^\^(\w+) (\w+) (\w+)/.exec(wanted.source) ?? [];
  test(`${type}: ${name}`, () => {
    const found = conditionsOf(parts).find((condition) => condition.type === type);
    assert.match(`${type} ${found?.status} ${found?.reason}: ${found?.message}`, wanted);
    assert.ok((found?.message ?? '').length <= 512);
    assert.ok(reason === 'Unschedulable' || reason in REASONS, `${reason} is not in the contract`);
    if (type === 'HandsReady' || type === 'CapabilitiesReady') return;
    const first = status === 'True' && type === 'Connected' ? 'Ready' : reason;
    assert.equal(readyOf(parts)?.reason, first, 'Ready shows the first cause');
  });
}

const reasonsOf = (before: ObservedParts, after: ObservedParts): readonly string[] =>
  eventsFor(statusOf(observedOf(before), NOW), statusOf(observedOf(after), NOW)).map(({ reason }) => reason);

test('a failure of the hands leaves all other conditions unchanged: the agent is connected and ready', () => {
  const ready = readyOf(withHands({ waitingReason: 'ErrImagePull' }));
  assert.deepEqual([ready?.status, ready?.reason], ['True', 'Ready']);
});

test('a failure of the hands causes an Event; a start, a sleep and a recovery do not', () => {
  const loop = withHands({ waitingReason: 'CrashLoopBackOff', restarts: 2, lastEnd: 'Error with exit code 3' });
  assert.deepEqual(reasonsOf({}, loop), ['HandsCrashLooping']);
  assert.deepEqual(reasonsOf({}, withHands({ lastEnd: KILLED, outOfMemory: true })), ['HandsOutOfMemory']);
  assert.deepEqual(reasonsOf({}, withHands({ running: true, restarts: 1, lastEnd: KILLED })), ['HandsRestarted']);
  assert.deepEqual(reasonsOf(loop, {}), []);
  assert.deepEqual(reasonsOf(withHands(undefined), {}), []);
  assert.deepEqual(reasonsOf({}, withHands({ lastEnd: 'Completed with exit code 0' }, { deletionTimestamp: NOW })), []);
});

test('hands that cannot start do not delay the first status', () => {
  const { pod } = waiting('ContainerCreating');
  const handsContainer = container({ waitingReason: 'ErrImagePull' });
  assert.ok(isOnItsWay(observedOf({ status: {}, pod: { ...pod } })));
  assert.ok(!isOnItsWay(observedOf({ status: {}, pod: { ...pod, handsContainer } })));
});

test('a missing capability leaves the agent ready, and has one Event', () => {
  assert.equal(readyOf(report())?.status, 'True');
  assert.deepEqual(reasonsOf({}, report()), ['CapabilityMissing']);
  assert.deepEqual(reasonsOf(report(), report()), []);
});

test('every condition is always present (RulesChecked only with examples), and the status matches the contract', () => {
  const status = statusOf(observedOf(), NOW);
  assert.deepEqual(
    pluck(status.conditions ?? [], 'type'),
    CONDITION_TYPES.filter((type) => type !== 'RulesChecked'),
  );
  assert.deepEqual(AgentStatus.parse(status), status);
  assert.deepEqual(
    { ...status, conditions: [] },
    {
      conditions: [],
      observedGeneration: 1,
      cycle: 1,
      power: 'Awake',
      tier: 'tier-0',
      nodeName: 'sparky1',
      podName: 'ada-1',
      lastSeen: '2026-11-22T09:00:01Z',
    },
  );
});
