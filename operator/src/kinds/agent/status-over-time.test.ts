import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentStatus } from '@hamlet/contract/kinds';
import { sizeOf } from '../../objects/tier-compute.ts';
import { statusPatch } from '../../status/status-writer.ts';
import { isOnItsWay, statusOf } from './status.ts';
import type { ObservedParts } from './testing/sample-state.ts';
import { agentOf, observedOf, podOf, TIER_1, unscheduled, waiting } from './testing/sample-state.ts';

const NOW = '2026-11-22T10:00:00Z';
const status1 = { cycle: 1, power: 'Awake', podName: 'ada-1', tier: 'tier-0' } as const;

const resizedIn = (parts: ObservedParts): string => {
  const found = statusOf(observedOf(parts), NOW).conditions?.find(({ type }) => type === 'Resized');
  return `${found?.status} ${found?.reason}: ${found?.message}`;
};

test('Resized shows the progress of a resize, and Ready does not wait for it', () => {
  const pending = (reason: string): ObservedParts => ({
    pods: [
      podOf('ada-1', {
        given: sizeOf(TIER_1),
        resize: { type: 'PodResizePending', reason, message: 'in the words of the node' },
      }),
    ],
  });
  assert.match(resizedIn({}), /^True AsEntitled: pod ada-1 has the compute of tier tier-0: cpu 500m, memory 512Mi$/);
  assert.match(resizedIn({ pods: [] }), /^True AsEntitled/);
  assert.match(resizedIn({ standing: { balance_tier: 'tier-1' } }), /^False Resizing: .*about to/);
  assert.match(resizedIn({ pod: { given: sizeOf(TIER_1) } }), /^False Resizing: the node/);
  assert.match(resizedIn(pending('Deferred')), /^False ResizeDeferred: .*in the words of the node/);
  assert.match(resizedIn(pending('Infeasible')), /^False ResizeRefused: .*can never.*in the words of the node/);
  assert.match(
    resizedIn({
      standing: { balance_tier: 'tier-1' },
      resize: { sinceMs: 0, refusal: { message: 'no', newPodToo: true } },
    }),
    /^False ResizeRefused: the API server refuses to resize pod ada-1: no$/,
  );
  assert.match(resizedIn({ standing: { balance_tier: 'tier-2' } }), /^False ReplacementPending/);
  assert.match(
    resizedIn({
      standing: { balance_tier: 'tier-2' },
      seat: { granted: true, reason: 'GpuBooked', blocking: 'nvidia.com/gpu', position: 2 },
    }),
    /^False GpuBooked: pod ada-1 stays unchanged: .*every nvidia.com\/gpu is taken; place 2/,
  );
  const { conditions = [] } = statusOf(observedOf(pending('Deferred')), NOW);
  assert.equal(conditions.find(({ type }) => type === 'Ready')?.status, 'True');
});

test('if the api names a tier that the operator does not know yet, the agent keeps its present tier', () => {
  const pods = [podOf('ada-1', { tier: TIER_1 })];
  const named = (balance_tier: string | null, publishedTier: string): string => {
    const facts = { pods, publishedTier, standing: { balance_tier } };
    const status = statusOf(observedOf(facts), NOW);
    return `${status.tier}: ${status.conditions?.find(({ type }) => type === 'Entitled')?.message}`;
  };
  assert.equal(named('tier-99', 'tier-1'), 'tier-1: tier tier-1, its present one, until the operator knows tier-99');
  assert.equal(named('tier-99', 'deleted'), 'tier-0: tier tier-0, open to a balance of 0');
  assert.equal(named(null, 'tier-1'), 'tier-0: tier tier-0, open to a balance of 0');
  assert.equal(named('tier-1', 'tier-0'), 'tier-1: tier tier-1, by its balance');
});

test('waitingSince stays the same while an agent waits for a seat', () => {
  const waits = { pods: [], seat: { granted: false, reason: 'NoSeat' } } as const;
  assert.equal(statusOf(observedOf({ status: {}, ...waits }), NOW).waitingSince, NOW);
  const since = { waitingSince: '2026-11-22T08:00:00Z' };
  assert.equal(statusOf(observedOf({ status: since, ...waits }), NOW).waitingSince, since.waitingSince);
  assert.equal(
    statusOf(observedOf({ status: since, pods: [], seat: { granted: false } }), NOW).waitingSince,
    since.waitingSince,
    'while the operator counts again',
  );
  assert.equal(statusOf(observedOf({ status: { ...status1, ...since } }), NOW).waitingSince, undefined);
});

test('before the first report of the api, the written tier stays unchanged', () => {
  const written = statusOf(observedOf({ standing: { balance_tier: 'tier-1' }, pod: { tier: TIER_1 } }), NOW);
  const agent = { ...agentOf(), status: written };
  const later = statusOf(observedOf({ agent, apiState: 'None', pod: { tier: TIER_1 } }), '2026-11-22T11:00:00Z');
  assert.equal(statusPatch(written, later), undefined);
});

test('only the first status of an agent waits for its pod, and not if something is wrong', () => {
  const starts = podOf('ada-1', { phase: 'Pending', scheduled: undefined, nodeName: undefined, container: undefined });
  assert.ok(isOnItsWay(observedOf({ status: {}, pods: [starts] })));
  assert.ok(!isOnItsWay(observedOf({ status: status1, pods: [starts] })));
  assert.ok(!isOnItsWay(observedOf({ status: {} })), 'it runs');
  assert.ok(!isOnItsWay(observedOf({ status: {}, ...unscheduled('0/2 nodes') })));
  assert.ok(!isOnItsWay(observedOf({ status: {}, ...waiting('ImagePullBackOff') })));
});

test('the time of a condition changes with its status, not with its message', () => {
  const first = statusOf(observedOf({ presence: undefined }), '2026-11-22T09:00:00Z');
  const agent = { ...agentOf(), status: first };
  const worded = statusOf(observedOf({ agent, ...waiting('ContainerCreating') }), NOW);
  const timeOf = (status: AgentStatus, type: string): string | undefined =>
    status.conditions?.find((condition) => condition.type === type)?.lastTransitionTime;
  assert.equal(timeOf(worded, 'Connected'), '2026-11-22T09:00:00Z');
  assert.equal(timeOf(statusOf(observedOf({ agent }), NOW), 'Connected'), NOW);
});

test('long messages are shortened to the limit of a status', () => {
  const { conditions = [] } = statusOf(observedOf(unscheduled('x'.repeat(2_000))), NOW);
  assert.ok(conditions.every(({ message }) => message.length <= 512));
});

test('a patch contains only the fields that differ, and removes missing fields', () => {
  const status = statusOf(observedOf(), NOW);
  assert.equal(statusPatch(status, structuredClone(status)), undefined);
  assert.deepEqual(statusPatch({ cycle: 1, podName: 'ada-1' }, { cycle: 2 }), { cycle: 2, podName: null });
});
