import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EGRESS_WRITES, type EgressWriteKind, type Policy, type TaintMark, type Verdict } from '@hamlet/contract';
import { judgeEgressWrite } from './judge-egress-write.ts';
import { DEFAULT_VILLAGE_RULES } from './resolve-policy.ts';

const rulesOf = (...rules: readonly (readonly [string, Verdict])[]): Policy['rules'] => [
  ...DEFAULT_VILLAGE_RULES.map((rule) => ({ ...rule, from: 'village' as const })),
  ...rules.map(([name, verdict]) => ({ tools: [name], verdict, from: 'agent' as const })),
];

const MARK: TaintMark = { source: 'egress', detail: 'a.org', call_id: null, run_id: null, at: '2026-11-25T12:00:00Z' };

function verdict(rules: Policy['rules'], kind: EgressWriteKind, isAllowedByRule = false): Verdict {
  return judgeEgressWrite({ rules }, { kind, isAllowedByRule, taint: [] }).verdict;
}

test('every write asks a person, and an egress rule can allow only plain writes', () => {
  for (const kind of EGRESS_WRITES) {
    assert.equal(verdict(rulesOf(), kind), 'ask', kind);
    assert.equal(verdict(rulesOf(), kind, true), kind === 'write' ? 'allow' : 'ask', kind);
  }
});

test('an allow rule of the policy does not loosen egress writes, but an ask or deny rule tightens them', () => {
  for (const name of ['network', 'write_outside', 'publish', 'spend'])
    for (const kind of EGRESS_WRITES) assert.notEqual(verdict(rulesOf([name, 'allow']), kind), 'allow');
  assert.equal(verdict(rulesOf(['network', 'ask']), 'write', true), 'ask');
  for (const kind of EGRESS_WRITES) assert.equal(verdict(rulesOf(['network', 'deny']), kind, true), 'deny', kind);
  assert.equal(verdict(rulesOf(['publish', 'deny']), 'push'), 'deny');
  assert.equal(verdict(rulesOf(['publish', 'deny']), 'publish'), 'deny');
  assert.equal(verdict(rulesOf(['publish', 'deny']), 'write', true), 'allow');
  assert.equal(verdict(rulesOf(['write_outside', 'deny']), 'write', true), 'deny');
  assert.equal(verdict(rulesOf(['spend', 'deny']), 'checkout'), 'deny');
});

test('writes of a tainted run need a person, unless the village relaxes the class', () => {
  const write = { kind: 'write', isAllowedByRule: true, taint: [MARK] } as const;
  assert.equal(judgeEgressWrite({ rules: rulesOf() }, write).verdict, 'ask');
  const relaxed: Policy['rules'][number] = {
    tools: ['write_outside'],
    verdict: 'allow',
    tainted: 'allow',
    from: 'village',
  };
  assert.equal(judgeEgressWrite({ rules: [...rulesOf(), relaxed] }, write).verdict, 'allow');
});
