import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boostedTier, boostedTiers, sizeOf } from '../../objects/tier-compute.ts';
import type { PodView } from '../../objects/pod-view.ts';
import type { TierView } from '../../objects/cached-objects.ts';
import { tiersFor } from '../../objects/hands.ts';
import { cycleStep } from './cycle.ts';
import { type Observed, observedFrom } from './observe.ts';
import { plan } from './plan.ts';
import { awake, NOW, replaced, testPlans, unschedulable, type PlanRow } from './testing/plan-table.ts';
import {
  agentOf,
  conditionOf,
  holdFor,
  observedOf,
  podOf,
  PRICED_TIERS,
  SETTINGS,
  TIER_0,
  TIER_1,
  TIER_2,
  tierOf,
  type ObservedParts,
} from './testing/sample-state.ts';

/** A pod that is bound to one node and waits for the scheduler. */
const waitingFor = (node: string, parts: ObservedParts): ObservedParts => ({
  pods: [podOf('ada-1', { nodeName: undefined, phase: 'Pending', container: undefined })],
  seatNode: { name: node, ready: true },
  ...parts,
});

/** A pod of tier-0 whose spec has the size of `tier`. */
const resizing = (tier: TierView, reason?: string): PodView =>
  podOf('ada-1', {
    size: sizeOf(tier),
    resize: reason === undefined ? undefined : { type: 'PodResizePending', reason, message: 'no room' },
  });

const WINDOW = { agent_id: 'ada', priority: false, gpu: { resource_name: 'nvidia.com/gpu', count: 1 }, until: null };
const windowed = { tiers: boostedTiers([TIER_0, TIER_1], WINDOW) };
const windowPod = podOf('ada-1', { tier: boostedTier(TIER_0, WINDOW) });

const REACHES_1 = { balance_tier: 'tier-1' };
const REACHES_2 = { balance_tier: 'tier-2' };

const TABLE: readonly PlanRow[] = [
  [
    'the seat of a waiting pod moved to another node: replaced there',
    waitingFor('sparky1', { seat: { granted: true, node: 'sparky2' } }),
    replaced('Normal SeatMoved'),
  ],
  [
    'the bound node is lost, and another node has a seat: replaced there',
    waitingFor('sparky1', { seat: { granted: true, node: 'sparky2' }, seatNode: { name: 'sparky1', ready: false } }),
    replaced('Warning NodeLost'),
  ],
  [
    'the bound node is lost, and no other node has a seat: it waits',
    waitingFor('sparky1', { seat: { granted: true, reason: 'NoSeat' }, seatNode: { name: 'sparky1', ready: false } }),
    [],
  ],
  ['the seat stays: it waits without a limit', waitingFor('sparky1', { seat: { granted: true, node: 'sparky1' } }), []],
  ['the pod is on its node: it stays there', { seat: { granted: true, node: 'sparky2' } }, []],
  [
    'the seat is free only after another pod has ended: no pod yet',
    { status: {}, pods: [], seat: { granted: false, reason: 'SeatClearing', blocking: 'node sparky1' } },
    [],
  ],
  ['a higher tier, larger only: resized, not restarted', { standing: REACHES_1 }, ['resizePod ada-1']],
  [
    'a lower tier, smaller only: resized',
    { status: { ...awake, tier: 'tier-1' }, pod: { tier: TIER_1 } },
    ['resizePod ada-1'],
  ],
  ['another GPU: replaced', { standing: REACHES_2 }, replaced('Normal TierChanged')],
  [
    'the tier was edited: waits for its turn',
    { status: { ...awake, tier: 'tier-2' }, standing: REACHES_2, upgrade: 'waits' },
    [],
  ],
  [
    'the tier was edited, and it is its turn',
    { status: { ...awake, tier: 'tier-2' }, standing: REACHES_2, upgrade: 'now' },
    replaced('Normal ImageChanged'),
  ],
  [
    'a seat with the GPU of the tier is free after a wait: replaced for the tier, without a turn',
    {
      status: { ...awake, tier: 'tier-2', conditions: [conditionOf('Resized False GpuBooked')] },
      standing: REACHES_2,
      upgrade: 'waits',
    },
    replaced('Normal TierChanged'),
  ],
  [
    'the tier was edited, and the pod waited for a seat: waits for its turn',
    {
      status: { ...awake, tier: 'tier-2', conditions: [conditionOf('Resized False GpuBooked')] },
      standing: REACHES_2,
      pod: { tier: tierOf('tier-2', 2) },
      upgrade: 'waits',
    },
    [],
  ],
  [
    'a second tier opens while the pod grows to the first, which is paid but not in the status yet: stays at the first',
    {
      tiers: PRICED_TIERS,
      standing: REACHES_2,
      hold: { ...holdFor('tier-1'), pod_uid: 'ada-1-uid' },
      pods: [resizing(TIER_1)],
    },
    ['askHold'],
  ],
  ['a GPU window begins: replaced at once, at the same tier', windowed, replaced('Normal GpuWindow')],
  ['a GPU window lasts: nothing', { ...windowed, pods: [windowPod] }, []],
  [
    'a GPU window lasts and the tier grows: resized',
    { ...windowed, pods: [windowPod], standing: REACHES_1 },
    ['resizePod ada-1'],
  ],
  ['a GPU window is over: replaced without its GPU', { pods: [windowPod] }, replaced('Normal GpuWindow')],
  [
    'a GPU window begins, and another pod still has the GPU: the pod stays unchanged',
    { ...windowed, seat: { granted: true, reason: 'GpuBooked' } },
    [],
  ],
  [
    'priority alone changes no pod',
    { tiers: boostedTiers([TIER_0, TIER_1], { ...WINDOW, priority: true, gpu: null }) },
    [],
  ],
  [
    'the resize was refused: replaced',
    { standing: REACHES_1, resize: { sinceMs: NOW, refusal: { message: 'too much cpu', newPodToo: false } } },
    replaced('Warning ResizeRefused'),
  ],
  [
    'the resize breaks a quota: the pod stays and the resize is retried',
    { standing: REACHES_1, resize: { sinceMs: NOW, refusal: { message: 'exceeded quota: x', newPodToo: true } } },
    ['resizePod ada-1'],
  ],
  [
    'the node is resizing the pod: nothing',
    { standing: REACHES_1, pods: [resizing(TIER_1)], resize: { sinceMs: NOW - 600_000 } },
    [],
  ],
  [
    'the node can never give the size: replaced',
    { standing: REACHES_1, pods: [resizing(TIER_1, 'Infeasible')], resize: { sinceMs: NOW } },
    replaced('Warning ResizeRefused'),
  ],
  [
    'the node has no room yet: waits',
    { standing: REACHES_1, pods: [resizing(TIER_1, 'Deferred')], resize: { sinceMs: NOW - 29_000 } },
    [],
  ],
  [
    'the node has no room after 30 s: replaced',
    { standing: REACHES_1, pods: [resizing(TIER_1, 'Deferred')], resize: { sinceMs: NOW - 30_000 } },
    replaced('Warning ResizeTimedOut'),
  ],
  [
    'a shrink that hangs for 30 s: replaced',
    { pod: { given: sizeOf(TIER_1) }, resize: { sinceMs: NOW - 30_000 } },
    replaced('Warning ResizeTimedOut'),
  ],
  [
    'a shrink that hangs on a lost node: waits for the node',
    { pod: { given: sizeOf(TIER_1) }, node: { name: 'sparky1', ready: false }, resize: { sinceMs: NOW - 90_000 } },
    [],
  ],
  [
    'a pod that waits for the scheduler gets a larger tier: resized while it waits',
    { status: awake, standing: REACHES_1, pod: unschedulable },
    ['resizePod ada-1'],
  ],
  [
    'no seat: nothing is made',
    { status: {}, pods: [], seat: { granted: false, reason: 'NoSeat', position: 2, blocking: 'bob' } },
    [],
  ],
  ['seats not counted yet: no pod', { status: {}, pods: [], seat: { granted: false } }, []],
  ['no seat for a running agent: the pod stays', { seat: { granted: false, reason: 'NoSeat' } }, []],
  [
    'no seat of the higher tier: the pod stays unchanged',
    { standing: REACHES_1, seat: { granted: true, reason: 'NoSeat', position: 1, blocking: 'cpu' } },
    [],
  ],
  [
    'no seat with the GPU of the higher tier: the pod stays unchanged',
    { standing: REACHES_2, seat: { granted: true, reason: 'GpuBooked', position: 1 } },
    [],
  ],
  ['the pod and its seat are lost: waits', { pods: [], seat: { granted: false, reason: 'NoSeat' } }, []],
  [
    'displaced: the pod ends',
    { seat: { granted: false, reason: 'Displaced', blocking: 'cleo' } },
    ['end 2', 'Warning Displaced', 'deletePod ada-1-uid'],
  ],
  [
    'its node is short of memory: the pod ends',
    { seat: { granted: false, reason: 'NodeShort', blocking: 'node sparky1' } },
    ['end 2', 'Warning NodeShort', 'deletePod ada-1-uid'],
  ],
  [
    'its node is short of memory, and others are paused: the pod stays unchanged',
    { standing: REACHES_1, seat: { granted: true, reason: 'NodeShort', blocking: 'node sparky1' } },
    [],
  ],
];

testPlans(TABLE);

test('a resize sets the limits of cpu and memory, requests half of each, and is checked after 30 s', () => {
  const { actions, requeueAfterMs } = plan(observedOf({ standing: { balance_tier: 'tier-1' } }), NOW);
  const resources = { requests: { cpu: '500m', memory: '512Mi' }, limits: { cpu: '1', memory: '1Gi' } };
  assert.partialDeepStrictEqual(actions, [
    {
      kind: 'resizePod',
      name: 'ada-1',
      uid: 'ada-1-uid',
      spec: { containers: [{ name: 'hands', resources }] },
      instead: { metadata: { name: 'ada-2' } },
    },
  ]);
  assert.equal(requeueAfterMs, 30_000);
});

const cycleOf = (observed: Observed): readonly unknown[] => {
  const { cycle, cause } = cycleStep(observed, NOW);
  return [cycle, cause];
};

test('a pod of an older operator is resized in its only container, and waits for its turn to be replaced', () => {
  const old = podOf('ada-1', { hands: undefined });
  const observed = observedOf({ standing: { balance_tier: 'tier-1' }, pods: [old] });
  const [resize] = plan(observed, NOW).actions;
  assert.partialDeepStrictEqual(resize, { kind: 'resizePod', spec: { containers: [{ name: 'resident' }] } });
  assert.equal(observedFrom(observed, () => 'waits').upgrade, 'waits');
  assert.deepEqual(cycleOf(observedFrom(observed, () => 'now')), [2, 'ImageChanged']);
});

test('a pod without hands does not get the compute of its tier, and no change of tier or GPU window replaces it', () => {
  const agent = agentOf({ spec: { hands: { enabled: false } }, status: { cycle: 1, power: 'Awake', tier: 'tier-0' } });
  const pods = [podOf('ada-1', { hands: '', size: undefined, given: undefined })];
  const tiers = tiersFor(boostedTiers([TIER_0, TIER_1, TIER_2], WINDOW), agent.spec);
  const observed = observedOf({ agent, pods, tiers, standing: { balance_tier: 'tier-1' } });
  assert.equal(observed.upgrade, 'none');
  assert.deepEqual(cycleOf(observed), [1, undefined]);
  assert.equal(observed.admission.tier?.metadata.name, 'tier-1', 'it has the limits of the tier');
});

test('the pod is replaced if its hands get another image, or are removed or added', () => {
  const allowed = { ...SETTINGS, handsImages: ['example.org/team'] };
  const upgradeWith = (hands: object, has: string): string => {
    const agent = agentOf({ spec: { hands }, status: { cycle: 1, power: 'Awake', tier: 'tier-0' } });
    const observed = observedOf({ agent, pod: { hands: has }, settings: allowed });
    return observedFrom(observed, () => 'now').upgrade;
  };
  assert.equal(upgradeWith({}, SETTINGS.image), 'none');
  assert.equal(upgradeWith({ image: 'example.org/team/hands:2' }, 'example.org/team/hands:1'), 'now');
  assert.equal(upgradeWith({ enabled: false }, SETTINGS.image), 'now');
  assert.equal(upgradeWith({ enabled: true }, ''), 'now');
});

test('an image of hands that the village does not allow is refused, and the pod stays', () => {
  const accepted = (image: string, handsImages: readonly string[]): string => {
    const agent = agentOf({ spec: { hands: { image } }, status: { cycle: 1, power: 'Awake', tier: 'tier-0' } });
    const observed = observedOf({ agent, settings: { ...SETTINGS, handsImages } });
    assert.deepEqual(cycleOf(observed), [1, undefined]);
    return observed.admission.accepted.reason;
  };
  const image = 'registry.example.org/team/hands:1';
  assert.equal(accepted(SETTINGS.image, []), 'Accepted');
  assert.equal(accepted(image, []), 'HandsImageRefused');
  assert.equal(accepted(image, ['registry.example.org/team']), 'Accepted');
  assert.equal(accepted(image, ['registry.example.org/team/hands']), 'Accepted');
  assert.equal(accepted(image, ['registry.example.org/te', 'registry.example.org/team/hands:11']), 'HandsImageRefused');
});
