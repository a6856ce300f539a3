import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EntitlementStatus } from '@hamlet/contract/kinds';
import { createRuleChecker, type CheckRules } from '../../objects/rule-checker.ts';
import { tierStatus } from '../entitlement/status.ts';
import { eventsFor } from './events-for.ts';
import { statusOf } from './status.ts';
import { agentOf, observedOf, tierOf } from './testing/sample-state.ts';

const NOW = '2026-11-22T10:00:00Z';
const push = { tool: 'shell', command: 'true && git push origin main' };
const specWith = (tools: readonly string[]): Readonly<Record<string, unknown>> => ({
  tools: {
    rules: [{ tools, verdict: 'deny', reason: 'Nothing leaves', examples: { match: [push], not: [{ tool: 'say' }] } }],
  },
});

/** A checker whose parser is loaded. */
async function loadedChecker(): Promise<CheckRules> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const check = createRuleChecker({ onLoad: resolve, onError: reject });
  assert.equal(check([]), null, 'the first question begins to load the parser');
  await promise;
  return check;
}

test('RulesChecked: an Agent with examples shows whether they hold, beside the chain; one without has no such condition', async () => {
  const check = await loadedChecker();
  const conditionOf = (spec: Readonly<Record<string, unknown>>, checker: CheckRules) => {
    const agent = agentOf({ spec, status: { cycle: 1, power: 'Awake', podName: 'ada-1', tier: 'tier-0' } });
    const checkedRules = agent.spec?.rules && checker(agent.spec.rules);
    const status = statusOf(observedOf({ agent, checkedRules }), NOW);
    assert.equal(status.conditions?.find(({ type }) => type === 'Ready')?.status, 'True');
    return status;
  };
  const found = (spec: Readonly<Record<string, unknown>>, checker = check) =>
    conditionOf(spec, checker).conditions?.find(({ type }) => type === 'RulesChecked');
  assert.deepEqual(
    [found(specWith(['publish']))?.status, found(specWith(['publish']))?.message],
    ['True', 'all 2 examples hold'],
  );
  assert.equal(found({ tools: { rules: [{ tools: ['say'], verdict: 'deny' }] } }), undefined);
  assert.deepEqual(
    [found(specWith(['publish']), () => null)?.status, found(specWith(['publish']), () => null)?.reason],
    ['Unknown', 'ExamplesPending'],
  );
  const broken = found(specWith(['spend']));
  assert.deepEqual([broken?.status, broken?.reason], ['False', 'RuleBroken']);
  assert.match(
    broken?.message ?? '',
    /^1 of 2 examples fail, so their rules never allow, and still ask and deny: rule 1 must match shell with the command "true && git push origin main" in a run and does not: correct the rule or its example$/,
  );
  const [before, after] = [conditionOf(specWith(['publish']), check), conditionOf(specWith(['spend']), check)];
  assert.deepEqual(
    eventsFor(before, after).map(({ type, reason }) => [type, reason]),
    [['Warning', 'RuleBroken']],
  );
});

test('RulesChecked of an Entitlement', async () => {
  const check = await loadedChecker();
  const tier = tierOf('tier-0', 0, specWith(['spend']));
  const told = tierStatus(
    { tier, seats: { total: 1, free: 1 }, agents: 0, openNodes: 1, checkedRules: check(tier.spec.tools?.rules ?? []) },
    NOW,
  );
  assert.deepEqual(
    told.conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`),
    ['Derived True Derived', 'RulesChecked False RuleBroken'],
  );
  assert.equal(EntitlementStatus.safeParse(told).success, true);
});
