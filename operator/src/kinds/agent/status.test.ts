import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONDITION_TYPES, REASONS, AgentStatus } from '@hamlet/contract/kinds';
import { statusPatch } from './status-patch.ts';
import { statusOf } from './status.ts';
import { agentOf, claimOf, observedOf, podOf, SETTINGS, tierOf } from './testing/sample-state.ts';
import type { ContainerState, Observed } from './views.ts';

const NOW = '2026-11-22T10:00:00Z';
const status1 = { cycle: 1, power: 'Awake', podName: 'ada-1' } as const;
const container = (parts: Partial<ContainerState>): ContainerState => ({ running: false, restarts: 0, waitingReason: undefined, waitingMessage: undefined, lastEnd: undefined, ...parts });
const waiting = (waitingReason: string, waitingMessage?: string): Partial<Observed> => ({ presence: undefined, pods: [podOf('ada-1', { phase: 'Pending', container: container({ waitingReason, waitingMessage }) })] });
const unscheduled = (message: string): Partial<Observed> => ({ pods: [podOf('ada-1', { nodeName: undefined, phase: 'Pending', container: undefined, scheduled: { status: 'False', reason: 'Unschedulable', message } })] });

const TABLE: readonly (readonly [string, Partial<Observed>, { readonly type: string; readonly status?: string; readonly reason: string; readonly says: RegExp }])[] = [
  ['connected', {}, { type: 'Ready', status: 'True', reason: 'Ready', says: /in the world/ }],
  ['a spec that cannot be read', { agent: { ...agentOf(), spec: undefined, problem: 'home: write an id' }, pods: [] }, { type: 'Accepted', reason: 'InvalidSpec', says: /home: write an id/ }],
  ['pinned to a tier that is not there', { agent: agentOf({ spec: { entitlement: { policy: 'Pinned', name: 'gold' } } }), pods: [] }, { type: 'Entitled', reason: 'EntitlementNotFound', says: /"gold".*create it or name another/ }],
  ['no tier for a balance of 0', { agent: agentOf(), pods: [], tiers: [tierOf('tier-1', 1, '10')] }, { type: 'Entitled', reason: 'NoEntitlementReached', says: /minBalance "0"/ }],
  ['quarantined', { standing: { quarantined: true, frozen: false, balanceTier: undefined }, pods: [] }, { type: 'Entitled', reason: 'Quarantined', says: /lift the quarantine/ }],
  ['frozen', { standing: { quarantined: false, frozen: true, balanceTier: undefined }, pods: [] }, { type: 'Entitled', reason: 'Frozen', says: /thaw/ }],
  ['no user namespaces', { agent: agentOf({ spec: { isolation: { userNamespace: 'Required' } } }), pods: [], settings: { ...SETTINGS, userNamespaces: 'Off' } }, { type: 'Admitted', reason: 'UserNamespaceUnavailable', says: /write Preferred/ }],
  ['asleep', { agent: agentOf({ spec: { power: 'Asleep' }, status: { cycle: 2, power: 'Asleep' } }), pods: [] }, { type: 'Connected', reason: 'Asleep', says: /write Awake/ }],
  ['the pod is refused', { agent: agentOf({ status: { cycle: 1, power: 'Awake' } }), pods: [], refusal: 'pods "ada-1" is forbidden: exceeded quota' }, { type: 'PodScheduled', reason: 'PodRefused', says: /exceeded quota/ }],
  ['the old volume is being deleted', { agent: agentOf({ status: { cycle: 1, power: 'Awake' } }), pods: [], claim: claimOf('old', { deletionTimestamp: NOW }) }, { type: 'PodScheduled', reason: 'Waiting', says: /ada-home of an earlier life/ }],
  ['unschedulable: the words of the scheduler', unscheduled('0/2 nodes are available: 2 Insufficient nvidia.com/gpu.'), { type: 'PodScheduled', reason: 'Unschedulable', says: /pod ada-1: 0\/2 nodes are available: 2 Insufficient nvidia.com\/gpu/ }],
  [
    'the volume lies on a node that is away',
    { ...unscheduled('0/2 nodes are available: 1 node(s) had volume node affinity conflict'), volumeNode: { name: 'sparky1', ready: false } },
    { type: 'PodScheduled', reason: 'VolumePinned', says: /the volume lies on node sparky1/ },
  ],
  ['no scheduler yet', { pods: [podOf('ada-1', { nodeName: undefined, phase: 'Pending', scheduled: undefined })] }, { type: 'PodScheduled', reason: 'PodPending', says: /waits for the scheduler/ }],
  ['image not to be had', waiting('ImagePullBackOff', 'Back-off pulling image "hamlet/agent:1"'), { type: 'Connected', reason: 'ImageUnavailable', says: /hamlet\/agent:1/ }],
  ['crash loop', { presence: undefined, pods: [podOf('ada-1', { container: container({ waitingReason: 'CrashLoopBackOff', restarts: 4, lastEnd: 'Error with exit code 3' }) })] }, { type: 'Connected', reason: 'CrashLooping', says: /ended 4 times, last: Error with exit code 3/ }],
  ['bad container', waiting('CreateContainerConfigError', 'secret "x" not found'), { type: 'Connected', reason: 'ContainerWaiting', says: /secret "x" not found/ }],
  ['starting', waiting('ContainerCreating'), { type: 'Connected', reason: 'Starting', says: /starting/ }],
  ['running, not connected', { presence: undefined }, { type: 'Connected', reason: 'NotConnected', says: /has not reached the api/ }],
  ['connected in an older cycle only', { agent: agentOf({ status: { ...status1, cycle: 2, podName: 'ada-2' } }), pods: [podOf('ada-2')] }, { type: 'Connected', reason: 'NotConnected', says: /ada-2/ }],
  ['connected in another life only', { presence: { uid: 'other', cycle: 1, connected: true, lastSeen: NOW } }, { type: 'Connected', reason: 'NotConnected', says: /ada-1/ }],
  ['the old pod still ends', { presence: undefined, agent: agentOf({ status: { ...status1, cycle: 2, podName: 'ada-2' } }), pods: [podOf('ada-1', { deletionTimestamp: NOW }), podOf('ada-2')] }, { type: 'Connected', reason: 'WaitingForPredecessor', says: /ada-1 is ending/ }],
  ['the api is away: unknown', { presence: undefined, apiReachable: false }, { type: 'Connected', status: 'Unknown', reason: 'ApiUnreachable', says: /does not hear/ }],
  ['the api is away, connected before: kept', { apiReachable: false }, { type: 'Connected', status: 'True', reason: 'Connected', says: /cycle 1/ }],
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
