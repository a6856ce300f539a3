/** Tables of plans: the observation of an agent, and the actions of its plan. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plan, type Action } from '../plan.ts';
import { observedOf, type ObservedParts } from './sample-state.ts';

export const NOW = Date.parse('2026-11-22T10:00:00Z');

/** A second before `NOW`. */
export const JUST_NOW = '2026-11-22T09:59:59Z';

export type PlanRow = readonly [name: string, parts: ObservedParts, actions: readonly string[]];

/** The actions that replace a pod, and their Event. */
export const replaced = (event: string): readonly string[] => [
  'tryPod ada-2',
  'deletePod ada-1-uid',
  'createPod ada-2',
  event,
];

export const asleep = { cycle: 2, power: 'Asleep' } as const;
export const awake = { cycle: 1, power: 'Awake', podName: 'ada-1', tier: 'tier-0' } as const;

/** The parts of a pod that the scheduler cannot place. */
export const unschedulable = {
  nodeName: undefined,
  phase: 'Pending',
  container: undefined,
  scheduled: {
    status: 'False',
    reason: 'Unschedulable',
    message: '0/2 nodes are available: 1 node(s) had volume node affinity conflict',
  },
};

export function testPlans(rows: readonly PlanRow[]): void {
  for (const [name, parts, actions] of rows) {
    test(name, () => assert.deepEqual(plan(observedOf(parts), NOW).actions.map(brief), actions));
  }
}

function brief(action: Action): string {
  if ('manifest' in action) return `${action.kind} ${action.manifest.metadata.name}`;
  switch (action.kind) {
    case 'setFinalizers':
      return `finalizers=${action.finalizers.join()}`;
    case 'endCycle':
      return `end ${action.cycle}`;
    case 'ownClaim':
      return `ownClaim ${action.owners.length}`;
    case 'deleteClaim':
      return `deleteClaim ${action.uid}`;
    case 'deletePod':
      return `deletePod ${action.uid}${action.graceSeconds === undefined ? '' : ` in ${action.graceSeconds} s`}`;
    case 'resizePod':
      return `resizePod ${action.name}`;
    case 'recordEvent':
      return `${action.type} ${action.reason}`;
    default:
      return action.kind;
  }
}
