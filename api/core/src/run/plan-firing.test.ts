import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FiringOutcome, Overlap } from '@hamlet/contract';
import { pluck } from '@hamlet/test/env/pluck';
import { type FiringFacts, planFiring, type RunUnderWay } from './plan-firing.ts';

const OF_ADA: readonly RunUnderWay[] = [
  { runId: 'r1', agentId: 'ada', state: 'running' },
  { runId: 'r2', agentId: 'ada', state: 'queued' },
];

function facts(changes: Partial<FiringFacts>): FiringFacts {
  return {
    agents: ['ada'],
    overlap: 'Forbid',
    isKnown: () => true,
    isBarred: () => false,
    hasWork: () => true,
    underWay: [],
    waitingFor: () => 0,
    waitingMax: 3,
    ...changes,
  };
}

const TABLE: readonly (readonly [string, Partial<FiringFacts>, FiringOutcome, number])[] = [
  ['nothing under way', {}, 'started', 0],
  ['Forbid leaves the new one out', { underWay: OF_ADA }, 'skipped_overlap', 0],
  ['Queue lets it wait', { overlap: 'Queue', underWay: OF_ADA }, 'queued', 0],
  ['Replace cancels all unfinished runs', { overlap: 'Replace', underWay: OF_ADA }, 'replaced', 2],
  ["another agent's runs do not overlap", { agents: ['bob'], underWay: OF_ADA }, 'started', 0],
  ['an unknown agent', { isKnown: () => false }, 'agent_unknown', 0],
  [
    'a barred agent, even with unfinished runs',
    { overlap: 'Replace', isBarred: () => true, underWay: OF_ADA },
    'agent_barred',
    0,
  ],
  [
    'an agent without a workflow, even with unfinished runs',
    { overlap: 'Replace', hasWork: () => false, underWay: OF_ADA },
    'manifests_unusable',
    0,
  ],
  ['too many runs wait already', { waitingFor: () => 3 }, 'skipped_overlap', 0],
  [
    'too many runs wait already, with Queue',
    { overlap: 'Queue', underWay: OF_ADA, waitingFor: () => 3 },
    'skipped_overlap',
    0,
  ],
  [
    'a replaced run leaves room for the new one',
    { overlap: 'Replace', underWay: OF_ADA, waitingFor: () => 3 },
    'replaced',
    2,
  ],
];

for (const [name, changes, outcome, cancelled] of TABLE) {
  test(`firing: ${name}`, () => {
    const plan = planFiring(facts(changes));
    assert.deepEqual(
      plan.agents.map((agent) => agent.outcome),
      [outcome],
    );
    assert.equal(plan.agents[0]?.runs, ['started', 'queued', 'replaced'].includes(outcome));
    assert.equal(plan.cancel.length, cancelled);
  });
}

test('an agent that is named twice gets one run; runs have the order of the names', () => {
  for (const overlap of ['Forbid', 'Queue', 'Replace'] as const satisfies readonly Overlap[]) {
    const plan = planFiring(facts({ overlap, agents: ['bob', 'ada', 'bob'] }));
    assert.deepEqual(pluck(plan.agents, 'agentId'), ['bob', 'ada']);
  }
});
