import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { Policy, VERDICTS, VILLAGE_TOOL_NAMES, VILLAGE_TOOLS, VillageRules } from '@hamlet/contract';
import type { CallOccasion, PolicyRule, Verdict, VillageRules as Rules } from '@hamlet/contract';
import { judgeCall } from './judge-call.ts';
import {
  checkVillageRules,
  DEFAULT_VILLAGE_RULES,
  narrowPolicy,
  resolvePolicy,
  type PolicyLayers,
} from './resolve-policy.ts';

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();
const policyOf = (layers: Partial<PolicyLayers>) =>
  resolvePolicy({ village: DEFAULT_VILLAGE_RULES, tier: [], agent: null, ...layers }, sha256);
const verdictOf = (layers: Partial<PolicyLayers>, tool: string, when: CallOccasion = 'run'): Verdict =>
  judgeCall(policyOf(layers), { tool, when }).verdict;

test('by default the village allows its tools, and asks before spending in a run, a question to a person, the script of another agent and an unclear act of a program', () => {
  const asked = VILLAGE_TOOL_NAMES.filter((tool) => verdictOf({}, tool) === 'ask');
  assert.deepEqual(
    asked,
    VILLAGE_TOOL_NAMES.filter(
      (tool) =>
        ['spend', 'schedule'].includes(VILLAGE_TOOLS[tool].class) ||
        ['ask_human', 'adopt_script', 'program_act'].includes(tool),
    ),
  );
  assert.deepEqual(
    VILLAGE_TOOL_NAMES.filter((tool) => verdictOf({}, tool) === 'deny'),
    [],
  );
  assert.equal(verdictOf({}, 'buy', 'turn'), 'allow');
  assert.equal(verdictOf({}, 'bid', 'turn'), 'allow');
});

test('an invented tool is denied, even if rules name it', () => {
  const village: Rules = [{ tools: ['transfer_money', 'read', 'toString'], verdict: 'allow' }];
  for (const tool of ['transfer_money', 'toString', '__proto__', 'read', '', 'Say', 'x'.repeat(10_000)])
    assert.equal(verdictOf({ village }, tool), 'deny', tool);
});

test('a worker without tools has a policy that the agent can read, which denies every tool', () => {
  const policy = narrowPolicy(policyOf({ agent: { allow: [] } }), { lists: [[], []], safeMode: null }, sha256);
  assert.deepEqual(Policy.parse(policy), policy);
  for (const tool of VILLAGE_TOOL_NAMES) assert.equal(judgeCall(policy, { tool, when: 'run' }).verdict, 'deny', tool);
});

test('the strictest matching rule counts, in any order and from any layer', () => {
  const verdicts = VERDICTS.map((verdict): PolicyRule => ({ tools: ['say'], verdict }));
  for (const a of verdicts)
    for (const b of verdicts)
      for (const c of verdicts) {
        const strictest = VERDICTS[Math.max(...[a, b, c].map(({ verdict }) => VERDICTS.indexOf(verdict)))];
        assert.equal(verdictOf({ village: [a, b, c] }, 'say'), strictest);
        assert.equal(verdictOf({ village: [a], tier: [b], agent: { rules: [c] } }, 'say'), strictest);
      }
});

test('rules of tier and Agent only restrict: without a rule of the village a tool is denied', () => {
  const village: Rules = [{ tools: ['read'], verdict: 'allow' }];
  const own: PolicyRule = { tools: ['say', 'speak'], verdict: 'allow' };
  assert.equal(verdictOf({ village, tier: [own], agent: { allow: ['say'], rules: [own] } }, 'say'), 'deny');
});

test('the list of an Agent denies all other tools, by name and by class', () => {
  const agent = { allow: ['read', 'say'] };
  const allowed = VILLAGE_TOOL_NAMES.filter((tool) => verdictOf({ agent }, tool) === 'allow');
  assert.deepEqual(
    allowed,
    VILLAGE_TOOL_NAMES.filter((tool) => VILLAGE_TOOLS[tool].class === 'read' || tool === 'say'),
  );
  assert.equal(judgeCall(policyOf({ agent }), { tool: 'buy', when: 'run' }).verdict, 'deny');
  assert.deepEqual(
    VILLAGE_TOOL_NAMES.filter((tool) => verdictOf({ agent: { allow: [] } }, tool) !== 'deny'),
    [],
  );
});

test("arguments decide the class of a call: one that sends asks a person, and an Agent's list must name that class", () => {
  const call = (layers: Partial<PolicyLayers>, input: object): Verdict =>
    judgeCall(policyOf(layers), { tool: 'http', when: 'run', input }).verdict;
  const url = 'https://a.test/';
  assert.equal(call({}, { url }), 'allow');
  assert.equal(call({}, { url, method: 'POST' }), 'ask');
  assert.equal(call({}, { url, body: 'x' }), 'ask');
  assert.equal(call({ agent: { allow: ['network'] } }, { url }), 'allow');
  assert.equal(call({ agent: { allow: ['network'] } }, { url, method: 'POST' }), 'deny');
  assert.equal(call({ agent: { allow: ['network', 'send'] } }, { url, method: 'POST' }), 'ask');
  assert.equal(call({ agent: { allow: ['http'] } }, { url, method: 'POST' }), 'ask');
});

test('a rule may apply only in a run or only in a turn', () => {
  const agent = { rules: [{ tools: ['publish'], when: 'turn', verdict: 'deny' }] satisfies PolicyRule[] };
  assert.equal(verdictOf({ agent }, 'post_to_board'), 'allow');
  assert.equal(verdictOf({ agent }, 'post_to_board', 'turn'), 'deny');
});

test("no rule allows ask_human without a person's answer", () => {
  const village: Rules = [{ tools: ['ask_human'], verdict: 'allow' }];
  assert.equal(verdictOf({ village }, 'ask_human'), 'ask');
  assert.equal(verdictOf({ village: [...village, { tools: ['speak'], verdict: 'deny' }] }, 'ask_human'), 'deny');
});

test('equal rules have equal versions, and every change has a new one', () => {
  const { version } = policyOf({});
  assert.equal(policyOf({}).version, version);
  assert.match(version, /^[0-9a-f]{64}$/);
  const reordered = DEFAULT_VILLAGE_RULES.map((rule) => ({ ...rule, tools: rule.tools.toReversed() }));
  assert.equal(policyOf({ village: reordered }).version, version);
  const rule: PolicyRule = { tools: ['say'], verdict: 'ask' };
  const others = [
    policyOf({ tier: [rule] }),
    policyOf({ agent: { rules: [rule] } }),
    policyOf({ agent: { rules: [{ ...rule, when: 'run' }] } }),
    policyOf({ agent: { rules: [{ ...rule, reason: 'Quiet' }] } }),
    policyOf({ agent: { rules: [{ ...rule, verdict: 'deny' }] } }),
    policyOf({ agent: { allow: ['read'] } }),
  ].map((policy) => policy.version);
  assert.equal(new Set([version, ...others]).size, 7);
});

test('rules with wrong examples or unknown names are reported with the fix', () => {
  assert.deepEqual(checkVillageRules(DEFAULT_VILLAGE_RULES), []);
  const rules = VillageRules.parse([
    {
      tools: ['spend'],
      when: 'run',
      verdict: 'deny',
      matches: [{ tool: 'buy' }, { tool: 'say' }],
      misses: [{ tool: 'buy', when: 'turn' }, { tool: 'bid' }],
    },
    { tools: ['sai'], verdict: 'allow' },
  ]);
  assert.deepEqual(checkVillageRules(rules), [
    'rule 1 must match say in a run and does not: correct the rule or its example',
    'rule 1 must not match bid in a run and does: correct the rule or its example',
    'rule 2: sai is neither a tool nor a class of tools: did you mean say?',
  ]);
});
