import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { AgentTools, Policy, PolicyRule, Verdict } from '@hamlet/contract';
import { judgeCall } from './judge-call.ts';
import { DEFAULT_VILLAGE_RULES, resolvePolicy } from './resolve-policy.ts';

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();
const SERVERS = { files: 'read', shop: 'spend', odd: null } as const;

function policyOf(agent: AgentTools = {}, village: readonly PolicyRule[] = DEFAULT_VILLAGE_RULES): Policy {
  return resolvePolicy({ village: [...village], tier: [], agent, mcp: SERVERS }, sha256);
}
const verdictOf = (policy: Policy, tool: string): Verdict => judgeCall(policy, { tool, when: 'run' }).verdict;

test('the class that the Agent gives a server decides; without a class a person is asked', () => {
  const policy = policyOf();
  assert.equal(verdictOf(policy, 'mcp__files__read_file'), 'allow');
  assert.equal(verdictOf(policy, 'mcp__shop__order'), 'ask');
  assert.equal(verdictOf(policy, 'mcp__odd__anything'), 'ask');
});

test('servers that the Agent does not declare and malformed names are denied', () => {
  for (const tool of [
    'mcp__other__x',
    'mcp__constructor__x',
    'mcp____x',
    'mcp__files__',
    'mcp__files__a b',
    'mcp__Files__x',
  ])
    assert.equal(verdictOf(policyOf(), tool), 'deny', tool);
});

test('rules may name a tool or a server: a denial wins, and only a rule of the village can avoid asking a person', () => {
  const rule = (tools: string[], verdict: Verdict): PolicyRule => ({ tools, verdict });
  assert.equal(verdictOf(policyOf({ rules: [rule(['mcp__files__write'], 'deny')] }), 'mcp__files__write'), 'deny');
  assert.equal(verdictOf(policyOf({ rules: [rule(['mcp__files'], 'ask')] }), 'mcp__files__x'), 'ask');
  assert.equal(verdictOf(policyOf({ rules: [rule(['mcp__odd'], 'allow')] }), 'mcp__odd__x'), 'ask');
  const village = [...DEFAULT_VILLAGE_RULES, rule(['mcp__odd__x'], 'allow')];
  assert.equal(verdictOf(policyOf({}, village), 'mcp__odd__x'), 'allow');
  assert.equal(verdictOf(policyOf({}, village), 'mcp__odd__y'), 'ask');
  assert.equal(verdictOf(policyOf({ rules: [rule(['mcp__odd'], 'deny')] }, village), 'mcp__odd__x'), 'deny');
  assert.equal(verdictOf(policyOf({}, [rule(['speak'], 'allow')]), 'mcp__files__x'), 'deny');
});

test("an Agent's list of tools also applies to servers, by class or as mcp__SERVER", () => {
  assert.equal(verdictOf(policyOf({ allow: ['say'] }), 'mcp__files__x'), 'deny');
  assert.equal(verdictOf(policyOf({ allow: ['read'] }), 'mcp__files__x'), 'allow');
  assert.equal(verdictOf(policyOf({ allow: ['mcp__odd'] }), 'mcp__odd__x'), 'ask');
});

test('changing the class of a server changes the version of the policy', () => {
  const other = resolvePolicy({ village: DEFAULT_VILLAGE_RULES, tier: [], agent: {}, mcp: { files: 'exec' } }, sha256);
  const none = resolvePolicy({ village: DEFAULT_VILLAGE_RULES, tier: [], agent: {} }, sha256);
  assert.equal(new Set([policyOf().version, other.version, none.version]).size, 3);
});
