import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aPlan, aStage } from '../../testing/a-plan.ts';
import { planText } from './plan-text.ts';
import { readPlan } from './read-plan.ts';

const PLAN = aPlan(
  [
    aStage('a', { role: 'agent', agent: 'critic', retry: { attempts: 2, backoffMs: 100, on: ['json'] } }),
    aStage('b', { role: 'feedback', feedback: { reviews: 'a', until: 'output.good', maxRounds: 2 } }),
    aStage('c', { role: 'tool', tool: 'read', input: { path: '=input' } }),
  ],
  ['a>b', 'b!c', 'b?c:output.good'],
  { fallbacks: [{ category: 'tool', role: 'tool', to: 'c' }] },
);

test('a plan comes back from its text', () => {
  assert.deepEqual(readPlan(planText(PLAN)), PLAN);
});

const [first] = PLAN.stages;
const WRONG: Readonly<Record<string, unknown>> = {
  'no object': 'plan',
  'another version': { ...PLAN, version: 2 },
  'an unknown role': { ...PLAN, stages: [{ ...first, role: 'spy' }] },
  'an edge to nowhere': { ...PLAN, edges: [{ id: 'a->z', from: 'a', to: 'z', type: 'normal', when: null }] },
  'a rule to nowhere': { ...PLAN, fallbacks: [{ category: 'tool', role: null, to: 'z' }] },
  'a judgement of nothing': aPlan([aStage('b', { feedback: { reviews: 'z', until: 'true', maxRounds: 1 } })]),
  'two stages with one id': { ...PLAN, stages: [...PLAN.stages, first] },
  'too many stages': aPlan(Array.from({ length: 1_001 }, (_, at) => aStage(`s${at}`))),
};

test('texts that are not plans are refused', () => {
  assert.equal(readPlan('{"version":1'), null);
  for (const [name, plan] of Object.entries(WRONG)) assert.equal(readPlan(JSON.stringify(plan)), null, name);
});
