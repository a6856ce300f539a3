import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition } from '@hamlet/contract/kinds';
import { boostedTier, boostedTiers, sizeOf } from '../../objects/tier-compute.ts';
import type { Observed } from './observe.ts';
import type { PodView } from '../../objects/pod-view.ts';
import type { TierView } from '../../objects/cached-objects.ts';
import { plan } from './plan.ts';
import { awake, NOW, testPlans, unschedulable, type PlanRow } from './testing/plan-table.ts';
import {
  agentOf,
  holdFor,
  observedOf,
  podOf,
  PRICED_TIERS,
  standingOf,
  TIER_0,
  TIER_1,
  tierOf,
} from './testing/sample-state.ts';

/** A pod that may get one node only, and waits for the scheduler. */
const waitingFor = (node: string, parts: Partial<Observed>): Partial<Observed> => ({
  pods: [podOf('ada-1', { nodeName: undefined, phase: 'Pending', container: undefined })],
  seatNode: { name: node, ready: true },
  ...parts,
});

/** A pod of tier-0 that asks for the size of `tier`. */
const resizing = (tier: TierView, reason?: string): PodView =>
  podOf('ada-1', {
    size: sizeOf(tier),
    resize: reason === undefined ? undefined : { type: 'PodResizePending', reason, message: 'no room' },
  });

/** What the status says of a pod that stays as it is until there is a seat of its tier. */
const waitedFor = (reason: string): Condition => ({
  type: 'Resized',
  status: 'False',
  reason,
  message: '',
  lastTransitionTime: '2026-11-22T09:00:00Z',
});

const WINDOW = { agent_id: 'ada', priority: false, gpu: { resource_name: 'nvidia.com/gpu', count: 1 }, until: null };
const windowed = { tiers: boostedTiers([TIER_0, TIER_1], WINDOW) };
const windowPod = podOf('ada-1', { tier: boostedTier(TIER_0, WINDOW) });

const TABLE: readonly PlanRow[] = [
  [
    'the seat of a pod that waits for the scheduler is on another node: made anew there',
    waitingFor('sparky1', { seat: { granted: true, node: 'sparky2' } }),
    ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Normal SeatMoved'],
  ],
  [
    'its node is lost, and there is a seat on another: made anew there',
    waitingFor('sparky1', { seat: { granted: true, node: 'sparky2' }, seatNode: { name: 'sparky1', ready: false } }),
    ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Warning NodeLost'],
  ],
  [
    'its node is lost, and there is no seat on another: it waits',
    waitingFor('sparky1', { seat: { granted: true, reason: 'NoSeat' }, seatNode: { name: 'sparky1', ready: false } }),
    [],
  ],
  ['the seat stays: it waits, however long', waitingFor('sparky1', { seat: { granted: true, node: 'sparky1' } }), []],
  ['it has its node: it stays there', { seat: { granted: true, node: 'sparky2' } }, []],
  [
    'the seat is there once a pod has ended: nothing is made',
    { agent: agentOf(), pods: [], seat: { granted: false, reason: 'SeatClearing', blocking: 'node sparky1' } },
    [],
  ],
  [
    'a higher tier, larger only: resized, not restarted',
    { standing: standingOf({ balance_tier: 'tier-1' }) },
    ['resizePod ada-1'],
  ],
  [
    'a lower tier, smaller only: resized',
    { agent: agentOf({ status: { ...awake, tier: 'tier-1' } }), pods: [podOf('ada-1', { tier: TIER_1 })] },
    ['resizePod ada-1'],
  ],
  [
    'another GPU: made anew',
    { standing: standingOf({ balance_tier: 'tier-2' }) },
    ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Normal TierChanged'],
  ],
  [
    'the tier was edited: waits for its turn',
    {
      agent: agentOf({ status: { ...awake, tier: 'tier-2' } }),
      standing: standingOf({ balance_tier: 'tier-2' }),
      upgrade: 'waits',
    },
    [],
  ],
  [
    'the tier was edited, and it is its turn',
    {
      agent: agentOf({ status: { ...awake, tier: 'tier-2' } }),
      standing: standingOf({ balance_tier: 'tier-2' }),
      upgrade: 'now',
    },
    ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Normal ImageChanged'],
  ],
  [
    'the seat with the GPU of its tier is there after a wait: made anew for its tier, without a turn',
    {
      agent: agentOf({ status: { ...awake, tier: 'tier-2', conditions: [waitedFor('GpuBooked')] } }),
      standing: standingOf({ balance_tier: 'tier-2' }),
      upgrade: 'waits',
    },
    ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Normal TierChanged'],
  ],
  [
    'the tier was edited and its seats were waited for: waits for its turn',
    {
      agent: agentOf({ status: { ...awake, tier: 'tier-2', conditions: [waitedFor('GpuBooked')] } }),
      standing: standingOf({ balance_tier: 'tier-2' }),
      pods: [podOf('ada-1', { tier: tierOf('tier-2', 2) })],
      upgrade: 'waits',
    },
    [],
  ],
  [
    'a second tier opens while the pod grows to the first, which is paid and not in the status yet: it stays at that',
    {
      tiers: PRICED_TIERS,
      standing: standingOf({ balance_tier: 'tier-2' }),
      hold: { ...holdFor('tier-1'), pod_uid: 'ada-1-uid' },
      pods: [resizing(TIER_1)],
    },
    ['askHold'],
  ],
  [
    'a GPU window begins: made anew at once, at the same tier',
    windowed,
    ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Normal GpuWindow'],
  ],
  ['a GPU window lasts: nothing', { ...windowed, pods: [windowPod] }, []],
  [
    'a GPU window lasts and the tier grows: resized',
    { ...windowed, pods: [windowPod], standing: standingOf({ balance_tier: 'tier-1' }) },
    ['resizePod ada-1'],
  ],
  [
    'a GPU window is over: made anew without its GPU',
    { pods: [windowPod] },
    ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Normal GpuWindow'],
  ],
  [
    'a GPU window, and whoever has the GPU is not gone yet: the pod stays as it is',
    { ...windowed, seat: { granted: true, reason: 'GpuBooked' } },
    [],
  ],
  [
    'priority alone changes no pod',
    { tiers: boostedTiers([TIER_0, TIER_1], { ...WINDOW, priority: true, gpu: null }) },
    [],
  ],
  [
    'the resize was refused: made anew',
    {
      standing: standingOf({ balance_tier: 'tier-1' }),
      resize: { sinceMs: NOW, refusal: { message: 'too much cpu', newPodToo: false } },
    },
    ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Warning ResizeRefused'],
  ],
  [
    'the resize breaks a quota: the pod is kept and it is tried again',
    {
      standing: standingOf({ balance_tier: 'tier-1' }),
      resize: { sinceMs: NOW, refusal: { message: 'exceeded quota: x', newPodToo: true } },
    },
    ['resizePod ada-1'],
  ],
  [
    'the node is at it: nothing',
    { standing: standingOf({ balance_tier: 'tier-1' }), pods: [resizing(TIER_1)], resize: { sinceMs: NOW - 600_000 } },
    [],
  ],
  [
    'the node will never hold it: made anew',
    {
      standing: standingOf({ balance_tier: 'tier-1' }),
      pods: [resizing(TIER_1, 'Infeasible')],
      resize: { sinceMs: NOW },
    },
    ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Warning ResizeRefused'],
  ],
  [
    'the node has no room yet: waits',
    {
      standing: standingOf({ balance_tier: 'tier-1' }),
      pods: [resizing(TIER_1, 'Deferred')],
      resize: { sinceMs: NOW - 29_000 },
    },
    [],
  ],
  [
    'the node has no room after 30 s: made anew',
    {
      standing: standingOf({ balance_tier: 'tier-1' }),
      pods: [resizing(TIER_1, 'Deferred')],
      resize: { sinceMs: NOW - 30_000 },
    },
    ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Warning ResizeTimedOut'],
  ],
  [
    'a shrink that hangs for 30 s: made anew',
    { pods: [podOf('ada-1', { given: sizeOf(TIER_1) })], resize: { sinceMs: NOW - 30_000 } },
    ['tryPod ada-2', 'deletePod ada-1-uid', 'createPod ada-2', 'Warning ResizeTimedOut'],
  ],
  [
    'a shrink that hangs on a lost node: the node is waited for',
    {
      pods: [podOf('ada-1', { given: sizeOf(TIER_1) })],
      node: { name: 'sparky1', ready: false },
      resize: { sinceMs: NOW - 90_000 },
    },
    [],
  ],
  [
    'a pod that waits for the scheduler and gets a larger tier: resized as it waits',
    {
      agent: agentOf({ status: awake }),
      standing: standingOf({ balance_tier: 'tier-1' }),
      pods: [podOf('ada-1', unschedulable)],
    },
    ['resizePod ada-1'],
  ],
  [
    'no seat: nothing is made',
    { agent: agentOf(), pods: [], seat: { granted: false, reason: 'NoSeat', position: 2, blocking: 'bob' } },
    [],
  ],
  ['seats not counted yet: nothing is made', { agent: agentOf(), pods: [], seat: { granted: false } }, []],
  ['no seat for who sits: it stays', { seat: { granted: false, reason: 'NoSeat' } }, []],
  [
    'no seat of the higher tier: the pod stays as it is',
    {
      standing: standingOf({ balance_tier: 'tier-1' }),
      seat: { granted: true, reason: 'NoSeat', position: 1, blocking: 'cpu' },
    },
    [],
  ],
  [
    'no seat with the GPU of the higher tier: the pod stays as it is',
    { standing: standingOf({ balance_tier: 'tier-2' }), seat: { granted: true, reason: 'GpuBooked', position: 1 } },
    [],
  ],
  ['the pod is lost and its seat too: waits', { pods: [], seat: { granted: false, reason: 'NoSeat' } }, []],
  [
    'displaced: the pod ends',
    { seat: { granted: false, reason: 'Displaced', blocking: 'cleo' } },
    ['end 2', 'Warning Displaced', 'deletePod ada-1-uid'],
  ],
];

testPlans(TABLE);

test('a resize asks for cpu and memory, half of each as request, and is looked at after 30 s', () => {
  const { actions, requeueAfterMs } = plan(observedOf({ standing: standingOf({ balance_tier: 'tier-1' }) }), NOW);
  const resources = { requests: { cpu: '500m', memory: '512Mi' }, limits: { cpu: '1', memory: '1Gi' } };
  assert.partialDeepStrictEqual(actions, [
    {
      kind: 'resizePod',
      name: 'ada-1',
      uid: 'ada-1-uid',
      spec: { containers: [{ name: 'resident', resources }] },
      instead: { metadata: { name: 'ada-2' } },
    },
  ]);
  assert.equal(requeueAfterMs, 30_000);
});
