import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plan, type Action } from './plan.ts';
import { agentOf, claimOf, observedOf, podOf, SETTINGS, tierOf } from './testing/sample-state.ts';
import type { Observed } from './views.ts';

const NOW = Date.parse('2026-11-22T10:00:00Z');

/** An action in a word: what a table can compare. */
function brief(action: Action): string {
  switch (action.kind) {
    case 'setFinalizers':
      return `finalizers=${action.finalizers.join()}`;
    case 'raiseCycle':
      return `cycle ${action.cycle} ${action.power}`;
    case 'createClaim':
    case 'createPod':
      return `${action.kind} ${action.manifest.metadata.name}`;
    case 'ownClaim':
      return `ownClaim ${action.owners.length}`;
    case 'deleteClaim':
      return `deleteClaim ${action.uid}`;
    case 'deletePod':
      return `deletePod ${action.uid}${action.graceSeconds === undefined ? '' : ` in ${action.graceSeconds} s`}`;
    case 'tell':
      return `${action.type} ${action.reason}`;
    default:
      return action.kind;
  }
}

const awake = { cycle: 1, power: 'Awake', podName: 'ada-1' } as const;
const unschedulable = { nodeName: undefined, phase: 'Pending', container: undefined, scheduled: { status: 'False', reason: 'Unschedulable', message: '0/2 nodes are available: 1 node(s) had volume node affinity conflict' } };
const moving = { spec: { placement: { onNodeLoss: 'MoveWithoutVolume' } }, status: { cycle: 2, power: 'Awake', podName: 'ada-2' } } as const;

const TABLE: readonly (readonly [string, Partial<Observed>, readonly string[]])[] = [
  ['healthy: nothing', {}, []],
  [
    'new: finalizer, cycle, claim, pod, in this order',
    { agent: agentOf({ finalizers: [] }), pods: [], claim: undefined },
    ['finalizers=hamlet.village/account', 'cycle 1 Awake', 'Normal Awakened', 'createClaim ada-home', 'createPod ada-1'],
  ],
  ['new and asleep: the finalizer alone', { agent: agentOf({ finalizers: ['other'], spec: { power: 'Asleep' } }), pods: [], claim: undefined }, ['finalizers=other,hamlet.village/account']],
  ['died between cycle and pod: the same cycle goes on', { agent: agentOf({ status: { cycle: 1, power: 'Awake' } }), pods: [] }, ['createPod ada-1']],
  ['suspended: a cycle, no pod, the claim stays', { agent: agentOf({ spec: { power: 'Asleep' }, status: awake }) }, ['cycle 2 Asleep', 'Normal Suspended', 'deletePod ada-1-uid']],
  ['suspended while asleep: nothing', { agent: agentOf({ spec: { power: 'Asleep' }, status: { cycle: 2, power: 'Asleep' } }), pods: [] }, []],
  ['suspended, the pod still ends: nothing', { agent: agentOf({ spec: { power: 'Asleep' }, status: { cycle: 2, power: 'Asleep' } }), pods: [podOf('ada-1', { deletionTimestamp: '2026-11-22T09:59:59Z' })] }, []],
  ['awakened: the next cycle, the same claim', { agent: agentOf({ status: { cycle: 2, power: 'Asleep' } }), pods: [] }, ['cycle 3 Awake', 'Normal Awakened', 'createPod ada-3']],
  [
    'rebooted: the new pod beside the old one',
    { agent: agentOf({ spec: { rebootedAt: '2026-11-22T09:59:00Z' }, status: awake }) },
    ['cycle 2 Awake', 'Normal Rebooted', 'deletePod ada-1-uid', 'createPod ada-2'],
  ],
  ['rebooted before: nothing', { agent: agentOf({ spec: { rebootedAt: '2026-11-22T09:59:00Z' }, status: { ...awake, rebootedAt: '2026-11-22T09:59:00Z' } }) }, []],
  ['asleep with another rebootedAt: nothing', { agent: agentOf({ spec: { power: 'Asleep', rebootedAt: '2026-11-22T09:59:00Z' }, status: { cycle: 2, power: 'Asleep' } }), pods: [] }, []],
  ['pod gone: the next cycle', { agent: agentOf({ status: awake }), pods: [] }, ['cycle 2 Awake', 'Warning PodLost', 'createPod ada-2']],
  ['pod deleted by hand: the next cycle at once', { agent: agentOf({ status: awake }), pods: [podOf('ada-1', { deletionTimestamp: '2026-11-22T09:59:59Z' })] }, ['cycle 2 Awake', 'Warning PodDeleted', 'createPod ada-2']],
  ['pod failed long ago: replaced', { agent: agentOf({ status: awake }), pods: [podOf('ada-1', { phase: 'Failed' })] }, ['cycle 2 Awake', 'Warning PodFailed', 'deletePod ada-1-uid', 'createPod ada-2']],
  ['pod failed at once: waits', { agent: agentOf({ status: awake }), pods: [podOf('ada-1', { phase: 'Failed', createdAt: '2026-11-22T09:59:55Z' })] }, []],
  ['a new image, and it is its turn: the next cycle', { upgrade: 'now' }, ['cycle 2 Awake', 'Normal ImageChanged', 'deletePod ada-1-uid', 'createPod ada-2']],
  ['pod waits for the scheduler: never replaced', { agent: agentOf({ status: awake }), pods: [podOf('ada-1', unschedulable)] }, []],
  ["the cycle's name is another's: the next cycle", { agent: agentOf({ status: { cycle: 1, power: 'Awake' } }), pods: [], nameTaken: true }, ['cycle 2 Awake', 'Warning NameTaken', 'createPod ada-2']],
  ['a pod of an old cycle is left: removed', { agent: agentOf({ status: { ...awake, cycle: 2, podName: 'ada-2' } }), pods: [podOf('ada-1'), podOf('ada-2')] }, ['deletePod ada-1-uid']],
  ['claim of an earlier life: removed first', { agent: agentOf(), pods: [], claim: claimOf('old-uid') }, ['cycle 1 Awake', 'Normal Awakened', 'deleteClaim claim-uid']],
  ['claim of an earlier life ends: no pod yet', { agent: agentOf({ status: { cycle: 1, power: 'Awake' } }), pods: [], claim: claimOf('old-uid', { deletionTimestamp: '2026-11-22T09:59:59Z' }) }, []],
  ['retained claim of an earlier life: adopted', { agent: agentOf({ status: awake }), claim: claimOf(null) }, ['ownClaim 1']],
  ['memory.retain: Retain lets the claim go free', { agent: agentOf({ spec: { memory: { retain: 'Retain' } }, status: awake }) }, ['ownClaim 0']],
  ['no Entitlement at all: no pod', { agent: agentOf(), pods: [], tiers: [] }, []],
  ['the Entitlement is deleted under a running agent: it goes on', { tiers: [] }, []],
  ['only a tier above a balance of 0: no pod', { agent: agentOf(), pods: [], tiers: [tierOf('tier-1', 1, '10')] }, []],
  ['quarantined: asleep', { standing: { quarantined: true, frozen: false, balanceTier: undefined } }, ['cycle 2 Asleep', 'Normal Suspended', 'deletePod ada-1-uid']],
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

test('the cycle records the reboot it stands for', () => {
  const observed = observedOf({ agent: agentOf({ spec: { rebootedAt: '2026-11-22T09:59:00Z' }, status: awake }) });
  const raise = plan(observed, NOW).actions.find((action) => action.kind === 'raiseCycle');
  assert.deepEqual(raise, { kind: 'raiseCycle', cycle: 2, power: 'Awake', rebootedAt: '2026-11-22T09:59:00Z' });
});
