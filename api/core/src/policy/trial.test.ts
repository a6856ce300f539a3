import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EGRESS_TOOLS, type EgressWriteKind, type Policy, type TaintMark } from '@hamlet/contract';
import { judgeEgressWrite } from './judge-egress-write.ts';
import { judge } from './judge-shell-call.ts';
import { classesOfFacts, judgeFacts, type JudgedFacts } from './trial.ts';

const MARK: TaintMark = {
  source: 'egress',
  detail: 'a.test',
  call_id: null,
  run_id: null,
  at: '2026-11-25T10:00:00.000Z',
};
const RULES: Policy['rules'] = [
  { tools: ['read', 'exec', 'network'], verdict: 'allow', from: 'village' },
  { tools: ['publish'], verdict: 'deny', from: 'tier' },
  { tools: ['send'], verdict: 'ask', from: 'village' },
];
const facts = (parts: Partial<JudgedFacts>): JudgedFacts => ({
  tool: 'shell',
  toolClass: 'exec',
  classes: null,
  unclear: null,
  taint: null,
  byRule: null,
  brokerAsks: false,
  ...parts,
});

test('the stored facts of a write give the same verdict as the write itself', () => {
  for (const kind of Object.keys(EGRESS_TOOLS) as EgressWriteKind[])
    for (const isAllowedByRule of [true, false])
      for (const taint of [null, MARK])
        assert.deepEqual(
          judgeFacts(
            { rules: RULES },
            facts({ tool: EGRESS_TOOLS[kind], toolClass: null, byRule: isAllowedByRule, taint }),
          ),
          judgeEgressWrite({ rules: RULES }, { kind, isAllowedByRule, taint: taint === null ? [] : [taint] }),
        );
});

test('the stored facts of a call give the same verdict as its arguments, even if these change its class', () => {
  const url = 'https://a.test/';
  for (const [input, toolClass] of [
    [{ url }, 'network'],
    [{ url, method: 'POST' }, 'send'],
  ] as const)
    assert.deepEqual(
      judgeFacts({ rules: RULES }, facts({ tool: 'http', toolClass })),
      judge({ rules: RULES }, { tool: 'http', when: 'run', input, needs: null }),
    );
  const needs = { classes: ['publish', 'network'], unclear: ['a variable'] };
  assert.deepEqual(
    judgeFacts({ rules: RULES }, facts({ classes: needs.classes, unclear: 'a variable', taint: MARK })),
    judge({ rules: RULES }, { tool: 'shell', when: 'run', taint: [MARK], needs }),
  );
  const open = RULES.slice(0, 1);
  for (const brokerAsks of [true, false])
    assert.deepEqual(
      judgeFacts({ rules: open }, facts({ classes: needs.classes, brokerAsks })),
      judge({ rules: open }, { tool: 'shell', when: 'run', needs: { ...needs, unclear: [] }, brokerAsks }),
    );
});

test('a call counts for its classes, an MCP call for its server', () => {
  assert.deepEqual(classesOfFacts(facts({ classes: ['read', 'exec'] })), ['exec', 'read']);
  assert.deepEqual(classesOfFacts(facts({ tool: 'git_push', toolClass: null })), ['publish', 'network']);
  assert.deepEqual(classesOfFacts(facts({ tool: 'mcp__files__read', toolClass: null })), ['mcp__files']);
});
