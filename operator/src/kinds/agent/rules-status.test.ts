import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { EntitlementStatus } from '@hamlet/contract/kinds';
import { createRuleChecker, type CheckRules } from '../../objects/rule-checker.ts';
import { tierStatus } from '../entitlement/seats.ts';
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

/** A checker that has loaded the names of tools, and the parser. */
async function loadedChecker(): Promise<CheckRules> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let loaded = 0;
  const check = createRuleChecker({ onLoad: () => (loaded += 1) === 2 && resolve(), onError: reject });
  const named = { tools: ['shel'], verdict: 'deny' as const };
  assert.equal(check({ rules: [named] }), undefined, 'the first check starts loading the names');
  assert.equal(
    check({ rules: [{ ...named, examples: { match: [push].map((each) => ({ ...each, when: 'run' as const })) } }] }),
    null,
  );
  await promise;
  return check;
}

test('RulesChecked: an Agent with examples shows whether they hold, independent of Ready; one without examples has no such condition', async () => {
  const check = await loadedChecker();
  const conditionOf = (spec: Readonly<Record<string, unknown>>, checker: CheckRules) => {
    const agent = agentOf({ spec, status: { cycle: 1, power: 'Awake', podName: 'ada-1', tier: 'tier-0' } });
    const checkedRules = agent.spec?.tools && checker(agent.spec.tools);
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
  assert.deepEqual(pluck(eventsFor(before, after), 'type', 'reason'), [['Warning', 'RuleBroken']]);
});

test('RulesChecked: an unknown tool or class is a warning that suggests the closest name; MCP names are not checked', async () => {
  const check = await loadedChecker();
  const found = (...tools: readonly string[]) => {
    const agent = agentOf({
      spec: {
        tools: {
          rules: [
            { tools: ['say'], verdict: 'ask' },
            { tools, verdict: 'deny' },
          ],
        },
      },
    });
    const status = statusOf(observedOf({ agent, checkedRules: agent.spec?.tools && check(agent.spec.tools) }), NOW);
    const condition = status.conditions?.find(({ type }) => type === 'RulesChecked');
    return condition && [condition.status, condition.reason, condition.message];
  };
  assert.equal(found('shell', 'publish', 'mcp__files', 'mcp__files__read_file'), undefined);
  assert.deepEqual(found('shel', 'publish'), [
    'False',
    'NameUnknown',
    'rule 2: shel is neither a tool nor a class of tools: did you mean shell?',
  ]);
  assert.match(found('publsh')?.[2] ?? '', /did you mean publish\?$/);
  assert.match(found('nothing_like_it_at_all')?.[2] ?? '', /: correct the name$/);
  const message = found(...Array.from({ length: 32 }, (_, at) => `unknown_tool_with_a_long_name_${at}`))?.[2] ?? '';
  assert.ok(message.length <= 512, String(message.length));
  const broken = { ...specWith(['spend', 'shel']) };
  const agent = agentOf({ spec: broken });
  const status = statusOf(observedOf({ agent, checkedRules: agent.spec?.tools && check(agent.spec.tools) }), NOW);
  const both = status.conditions?.find(({ type }) => type === 'RulesChecked');
  assert.equal(both?.reason, 'RuleBroken');
  assert.match(both.message, /rule 1 must match .*; rule 1: shel is neither a tool nor a class/);
});

test('RulesChecked: an unknown name in spec.tools.allow is a warning too', async () => {
  const check = await loadedChecker();
  const found = (...allow: readonly string[]) => {
    const agent = agentOf({ spec: { tools: { allow } } });
    const checkedRules = agent.spec?.tools && check(agent.spec.tools);
    return statusOf(observedOf({ agent, checkedRules }), NOW).conditions?.find(({ type }) => type === 'RulesChecked');
  };
  assert.equal(found('read', 'shell', 'mcp__files'), undefined);
  assert.equal(
    found('read', 'shel')?.message,
    'spec.tools.allow: shel is neither a tool nor a class of tools: did you mean shell?',
  );
});

test('RulesChecked of an Entitlement names its wrong rules', async () => {
  const check = await loadedChecker();
  const tier = tierOf('tier-0', 0, specWith(['spend']));
  const outcome = tierStatus(
    {
      tier,
      seats: { total: 1, free: 1 },
      agents: 0,
      openNodes: 1,
      checkedRules: check({ rules: tier.spec.tools?.rules ?? [] }),
    },
    NOW,
  );
  assert.deepEqual(
    outcome.conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`),
    ['Derived True Derived', 'RulesChecked False RuleBroken'],
  );
  assert.equal(EntitlementStatus.safeParse(outcome).success, true);
});
