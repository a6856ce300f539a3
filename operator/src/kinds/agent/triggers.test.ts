import assert from 'node:assert/strict';
import { test } from 'node:test';
import { podOf, TIER_1 } from './testing/sample-state.ts';
import { effectOf } from './triggers.ts';
import type { PodView } from './views.ts';

const PENDING = { nodeName: undefined, phase: 'Pending', container: undefined, given: undefined, scheduled: undefined };
const effect = (previous: PodView, object: PodView): string => effectOf({ kind: 'updated', key: 'village/ada-1', previous, object });

test('the steps of a start are only told; what asks for something to be done is worked on', () => {
  const runs = podOf('ada-1');
  assert.equal(effect(podOf('ada-1', PENDING), podOf('ada-1', { ...PENDING, nodeName: 'sparky1' })), 'status');
  assert.equal(effect(podOf('ada-1', PENDING), runs), 'status');
  assert.equal(effect(runs, podOf('ada-1')), 'none');
  assert.equal(effect(podOf('ada-1', PENDING), podOf('ada-1', { ...PENDING, scheduled: { status: 'False', reason: 'Unschedulable', message: '0/2 nodes' } })), 'status');
  assert.equal(effect(podOf('ada-1', PENDING), podOf('ada-1', { ...PENDING, scheduled: { status: 'False', reason: 'Unschedulable', message: 'volume node affinity conflict' } })), 'plan');
  assert.equal(effect(runs, podOf('ada-1', { deletionTimestamp: '2026-11-22T10:00:00Z' })), 'plan');
  assert.equal(effect(runs, podOf('ada-1', { phase: 'Failed' })), 'plan');
  assert.equal(effect(runs, podOf('ada-1', { tier: TIER_1 })), 'plan');
  assert.equal(effect(podOf('ada-1', { tier: TIER_1, given: runs.given }), podOf('ada-1', { tier: TIER_1 })), 'plan', 'the node has resized it');
});
