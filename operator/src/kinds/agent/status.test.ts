import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentStatus, CONDITION_TYPES, REASONS } from '@hamlet/contract/kinds';
import { statusOf } from './status.ts';
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
  standingOf,
  tierOf,
  unscheduled,
  waiting,
} from './testing/sample-state.ts';
import type { Observed } from './observe.ts';

const NOW = '2026-11-22T10:00:00Z';
const status1 = { cycle: 1, power: 'Awake', podName: 'ada-1', tier: 'tier-0' } as const;

const TABLE: readonly (readonly [
  string,
  Partial<Observed>,
  { readonly type: string; readonly status?: string; readonly reason: string; readonly says: RegExp },
])[] = [
  ['connected', {}, { type: 'Ready', status: 'True', reason: 'Ready', says: /in the world/ }],
  [
    'a spec that cannot be read',
    { agent: { ...agentOf(), spec: undefined, problem: 'home: write an id' }, pods: [] },
    { type: 'Accepted', reason: 'InvalidSpec', says: /home: write an id/ },
  ],
  [
    'pinned to a tier that does not exist',
    { agent: agentOf({ spec: { entitlement: { policy: 'Pinned', name: 'gold' } } }), pods: [] },
    { type: 'Entitled', reason: 'EntitlementNotFound', says: /"gold".*create it or name another/ },
  ],
  [
    'no tier for a balance of 0',
    { agent: agentOf(), pods: [], tiers: [tierOf('tier-1', 1, { minBalance: '10' })] },
    { type: 'Entitled', reason: 'NoEntitlementReached', says: /minBalance "0"/ },
  ],
  [
    'quarantined',
    { standing: standingOf({ quarantined: true }), pods: [] },
    { type: 'Entitled', reason: 'Quarantined', says: /lift the quarantine/ },
  ],
  [
    'frozen',
    { standing: standingOf({ frozen: true }), pods: [] },
    { type: 'Entitled', reason: 'Frozen', says: /thaw/ },
  ],
  [
    'banned, with the reason of the admin',
    { standing: standingOf({ banned: true, frozen: true, reason: 'spam' }), pods: [] },
    { type: 'Entitled', reason: 'Banned', says: /lifts the ban.*the reason of the admin: spam/ },
  ],
  [
    'killed',
    { standing: standingOf({ killed: true, banned: true }), pods: [] },
    { type: 'Entitled', reason: 'Killed', says: /killed/ },
  ],
  [
    'tokens revoked: the pod stays, and the condition says why the api refuses it',
    { standing: standingOf({ token_revoked: true, reason: 'leaked' }) },
    { type: 'Connected', reason: 'TokenRevoked', says: /leaked/ },
  ],
  [
    'a new agent before the first report of the api',
    { apiState: 'None', agent: agentOf(), pods: [] },
    { type: 'Entitled', reason: 'ApiUnreachable', says: /grants nothing new/ },
  ],
  [
    'the api away, and new',
    { apiState: 'Last', agent: agentOf(), pods: [] },
    { type: 'Entitled', reason: 'ApiUnreachable', says: /grants nothing new/ },
  ],
  [
    'no seat: the message has the place in the queue and the lacking resource',
    { agent: agentOf(), pods: [], seat: { granted: false, reason: 'NoSeat', position: 3, blocking: 'cpu' } },
    { type: 'Admitted', reason: 'NoSeat', says: /no node has cpu left for a seat; place 3 in the queue/ },
  ],
  [
    'no room on the one node',
    { agent: agentOf(), pods: [], seat: { granted: false, reason: 'NodeFull', blocking: 'node sparky1' } },
    { type: 'Admitted', reason: 'NodeFull', says: /node sparky1, the only node/ },
  ],
  [
    'GPUs booked',
    { agent: agentOf(), pods: [], seat: { granted: false, reason: 'GpuBooked', blocking: 'nvidia.com/gpu' } },
    { type: 'Admitted', reason: 'GpuBooked', says: /every nvidia.com\/gpu is taken/ },
  ],
  [
    'money is asked for',
    { agent: agentOf(), pods: [], tiers: PRICED_TIERS, standing: standingOf({ balance_tier: 'tier-1' }) },
    { type: 'Admitted', reason: 'HoldPending', says: /an hour of tier-1 costs 1 aiDollars: the operator asks the api/ },
  ],
  [
    'money is asked for once there is a seat',
    {
      agent: agentOf(),
      pods: [],
      tiers: PRICED_TIERS,
      standing: standingOf({ balance_tier: 'tier-1' }),
      seat: { granted: false, reason: 'NoSeat', blocking: 'cpu' },
    },
    { type: 'Admitted', reason: 'NoSeat', says: /cpu/ },
  ],
  [
    'pinned to a tier that it cannot pay: no seat is counted',
    {
      agent: agentOf({ spec: { entitlement: { policy: 'Pinned', name: 'tier-1' } } }),
      pods: [],
      tiers: PRICED_TIERS,
      hold: holdFor(undefined, { tier: 'tier-1', reason: 'NotPaid' }),
      seat: { granted: false },
    },
    { type: 'Admitted', reason: 'NotPaid', says: /an hour of tier-1 costs 1 aiDollars/ },
  ],
  [
    'the api refused to reserve money',
    {
      agent: agentOf({ spec: { entitlement: { policy: 'Pinned', name: 'tier-1' } } }),
      pods: [],
      tiers: PRICED_TIERS,
      hold: holdFor(undefined, { tier: 'tier-1', reason: 'HoldRefused' }),
      seat: { granted: false },
    },
    { type: 'Admitted', reason: 'HoldRefused', says: /cannot reserve that much/ },
  ],
  [
    'displaced',
    {
      agent: agentOf({ status: { cycle: 2, power: 'Asleep' } }),
      pods: [],
      seat: { granted: false, reason: 'Displaced', blocking: 'agent cleo' },
    },
    { type: 'Admitted', reason: 'Displaced', says: /agent cleo has a higher tier/ },
  ],
  [
    'seats being counted',
    { agent: agentOf(), pods: [], seat: { granted: false } },
    { type: 'Admitted', reason: 'SeatPending', says: /counting the seats/ },
  ],
  [
    'no user namespaces',
    {
      agent: agentOf({ spec: { isolation: { userNamespace: 'Required' } } }),
      pods: [],
      settings: { ...SETTINGS, userNamespaces: 'Off' },
    },
    { type: 'Admitted', reason: 'UserNamespaceUnavailable', says: /write Preferred/ },
  ],
  [
    'asleep',
    { agent: agentOf({ spec: { power: 'Asleep' }, status: { cycle: 2, power: 'Asleep' } }), pods: [] },
    { type: 'Connected', reason: 'Asleep', says: /write Awake/ },
  ],
  [
    'a volume claim of another owner has the name',
    { agent: agentOf({ status: { cycle: 1, power: 'Awake' } }), pods: [], claim: claimOfOthers },
    { type: 'PodScheduled', reason: 'VolumeTaken', says: /ada-home was not created for this Agent/ },
  ],
  [
    'the pod is refused',
    {
      agent: agentOf({ status: { cycle: 1, power: 'Awake' } }),
      pods: [],
      refusal: { reason: 'PodRefused', message: 'the API server refuses: pods "ada-1" is forbidden: exceeded quota' },
    },
    { type: 'PodScheduled', reason: 'PodRefused', says: /exceeded quota/ },
  ],
  [
    'the old volume is being deleted',
    {
      agent: agentOf({ status: { cycle: 1, power: 'Awake' } }),
      pods: [],
      claim: claimOf('old', { deletionTimestamp: NOW }),
    },
    { type: 'PodScheduled', reason: 'Waiting', says: /ada-home of an earlier Agent/ },
  ],
  [
    'unschedulable: the message of the scheduler',
    unscheduled('0/2 nodes are available: 2 Insufficient nvidia.com/gpu.'),
    {
      type: 'PodScheduled',
      reason: 'Unschedulable',
      says: /pod ada-1: 0\/2 nodes are available: 2 Insufficient nvidia.com\/gpu/,
    },
  ],
  [
    'the volume is on a lost node',
    {
      ...unscheduled('0/2 nodes are available: 1 node(s) had volume node affinity conflict'),
      volumeNode: { name: 'sparky1', ready: false },
    },
    { type: 'PodScheduled', reason: 'VolumePinned', says: /the volume is on node sparky1, which does not answer/ },
  ],
  [
    'the volume is on a cordoned node',
    {
      ...unscheduled(
        "0/2 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity, 1 node(s) were unschedulable",
      ),
      volumeNode: { name: 'sparky1', ready: true, cordoned: true },
    },
    { type: 'PodScheduled', reason: 'VolumePinned', says: /node sparky1, which is cordoned/ },
  ],
  [
    'pinned to a cordoned node',
    {
      ...unscheduled('0/2 nodes are available: 1 node(s) were unschedulable'),
      pinnedNode: { name: 'sparky2', ready: true, cordoned: true },
    },
    { type: 'PodScheduled', reason: 'NodeCordoned', says: /placement.nodeName is sparky2, which is cordoned/ },
  ],
  [
    'pinned to a lost node',
    { ...unscheduled('0/2 nodes are available'), pinnedNode: { name: 'sparky2', ready: false } },
    { type: 'PodScheduled', reason: 'NodeLost', says: /sparky2, which does not answer/ },
  ],
  [
    'pinned to a node that does not exist: the message of the scheduler',
    { ...unscheduled('0/2 nodes are available'), pinnedNode: { name: 'sparky9', ready: false, exists: false } },
    { type: 'PodScheduled', reason: 'Unschedulable', says: /0\/2 nodes/ },
  ],
  [
    'no scheduler yet',
    { pods: [podOf('ada-1', { nodeName: undefined, phase: 'Pending', scheduled: undefined })] },
    { type: 'PodScheduled', reason: 'PodPending', says: /waits for the scheduler/ },
  ],
  [
    'image not to be had',
    waiting('ImagePullBackOff', 'Back-off pulling image "hamlet/agent:1"'),
    { type: 'Connected', reason: 'ImageUnavailable', says: /hamlet\/agent:1/ },
  ],
  [
    'crash loop',
    {
      presence: undefined,
      pods: [
        podOf('ada-1', {
          container: container({ waitingReason: 'CrashLoopBackOff', restarts: 4, lastEnd: 'Error with exit code 3' }),
        }),
      ],
    },
    { type: 'Connected', reason: 'CrashLooping', says: /ended 4 times, last: Error with exit code 3/ },
  ],
  [
    'bad container',
    waiting('CreateContainerConfigError', 'secret "x" not found'),
    { type: 'Connected', reason: 'ContainerWaiting', says: /secret "x" not found/ },
  ],
  ['starting', waiting('ContainerCreating'), { type: 'Connected', reason: 'Starting', says: /starting/ }],
  [
    'running, not connected',
    { presence: undefined },
    { type: 'Connected', reason: 'NotConnected', says: /has not reached the api/ },
  ],
  [
    'connected in an older cycle only',
    { agent: agentOf({ status: { ...status1, cycle: 2, podName: 'ada-2' } }), pods: [podOf('ada-2')] },
    { type: 'Connected', reason: 'NotConnected', says: /ada-2/ },
  ],
  [
    'connected in an earlier life only',
    { presence: { agent_id: 'ada', uid: 'other', cycle: 1, connected: true, last_seen: NOW } },
    { type: 'Connected', reason: 'NotConnected', says: /ada-1/ },
  ],
  [
    'the old pod still ends',
    {
      presence: undefined,
      agent: agentOf({ status: { ...status1, cycle: 2, podName: 'ada-2' } }),
      pods: [podOf('ada-1', { deletionTimestamp: NOW }), podOf('ada-2')],
    },
    { type: 'Connected', reason: 'WaitingForPredecessor', says: /ada-1 is ending/ },
  ],
  [
    'the api is away: unknown',
    { presence: undefined, apiState: 'Last' },
    { type: 'Connected', status: 'Unknown', reason: 'ApiUnreachable', says: /does not answer/ },
  ],
  [
    'the api does not answer, connected before: kept',
    { apiState: 'Last' },
    { type: 'Connected', status: 'True', reason: 'Connected', says: /cycle 1/ },
  ],
  [
    'the node is lost',
    { node: { name: 'sparky1', ready: false } },
    { type: 'Connected', reason: 'NodeLost', says: /sparky1 does not answer/ },
  ],
];

for (const [name, parts, { type, status = 'False', reason, says }] of TABLE) {
  test(`${type}: ${name}`, () => {
    const { conditions = [] } = statusOf(observedOf(parts), NOW);
    const found = conditions.find((condition) => condition.type === type);
    assert.equal(`${found?.status} ${found?.reason}`, `${status} ${reason}`);
    assert.match(found?.message ?? '', says);
    assert.ok(reason === 'Unschedulable' || reason in REASONS, `${reason} is not in the contract`);
    const ready = conditions.find((condition) => condition.type === 'Ready');
    assert.equal(
      ready?.reason,
      status === 'True' && type === 'Connected' ? 'Ready' : reason,
      'Ready shows the first cause',
    );
  });
}

test('every condition is always present (RulesChecked only with examples), and the status matches the contract', () => {
  const status = statusOf(observedOf(), NOW);
  assert.deepEqual(
    status.conditions?.map(({ type }) => type),
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
