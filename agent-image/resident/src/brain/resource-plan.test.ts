import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../testing/a-village.ts';
import { isSamePlan, resourcePlanOf, type ResourcePlan } from './resource-plan.ts';

const limits = (concurrent_tools: number) => ({ ...LIMITS, concurrent_tools });

test('the plan has the model that the village chose, or none', () => {
  const model = { provider: 'up', name: 'large', scripted: false, reason: '' };
  const planned = [model, null].map((each) => resourcePlanOf({ tier: 't', limits: null, model: each }).model);
  assert.deepEqual(planned, ['large', null]);
});

test('the plan has 24 steps for each concurrent tool, at most 64, and none without limits', () => {
  const steps = (tools: number) => resourcePlanOf({ tier: 't', limits: limits(tools), model: null }).toolCalls;
  assert.deepEqual([steps(0), steps(1), steps(2), steps(3), steps(100)], [0, 24, 48, 64, 64]);
  assert.equal(resourcePlanOf({ tier: null, limits: null, model: null }).toolCalls, 0);
});

test('two plans are equal when all their parts are equal', () => {
  const plan: ResourcePlan = { tier: 'tier-0', model: 'small', toolCalls: 24 };
  assert.ok(isSamePlan(plan, { ...plan }));
  const others: readonly Partial<ResourcePlan>[] = [
    { tier: 'tier-1' },
    { model: 'large' },
    { toolCalls: 48 },
    { tier: null, model: null },
    { model: null, toolCalls: 0 },
    { tier: null, toolCalls: 0 },
    { tier: null, model: null, toolCalls: 0 },
  ];
  for (const changes of others) assert.ok(!isSamePlan(plan, { ...plan, ...changes }), JSON.stringify(changes));
});
