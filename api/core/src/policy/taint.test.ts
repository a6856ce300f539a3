import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Policy, TaintMark } from '@hamlet/contract';
import { judge, type ShellNeeds } from './judge-shell-call.ts';
import { bringingOf, decidingMark, TAINT_ASKS } from './taint.ts';

const TAINT: readonly TaintMark[] = [
  { source: 'egress', detail: 'example.org', call_id: '1.0', run_id: null, at: '2026-11-25T10:00:00.000Z' },
];
type Rule = Policy['rules'][number];
const OPEN: Rule = {
  tools: ['read', 'speak', 'act', 'publish', 'spend', 'persona', 'exec', 'write_inside', 'delegate'],
  verdict: 'allow',
  from: 'village',
};
const RELAXED: Rule = {
  tools: ['exec'],
  verdict: 'allow',
  tainted: 'allow',
  reason: 'Held by the hands',
  from: 'village',
};

function verdict(
  tool: string,
  {
    rules = [OPEN],
    needs = null,
    taint = TAINT,
  }: { rules?: readonly Rule[]; needs?: ShellNeeds | null; taint?: typeof TAINT | null },
): string {
  const mcp = { web: 'read', tracker: 'publish', runner: 'exec' } as const;
  return judge({ rules: [...rules], mcp }, { tool, when: 'run', taint, needs }).verdict;
}
const shell = (classes: readonly string[], rules?: readonly Rule[]): string =>
  verdict('shell', { needs: { classes, unclear: [] }, ...(rules && { rules }) });

test('a tainted run asks a person before it sends, spends or runs code, and reads as before', () => {
  for (const tool of ['say', 'post_to_board', 'buy', 'amend_personality', 'stop_process']) {
    assert.equal(verdict(tool, {}), 'ask', tool);
    assert.equal(verdict(tool, { taint: null }), 'allow', tool);
  }
  for (const tool of ['read_board', 'write_file', 'use_place', 'delegate', 'deliver'])
    assert.equal(verdict(tool, {}), 'allow', tool);
  for (const name of ['deliver', 'speak'])
    assert.equal(verdict('deliver', { rules: [OPEN, { tools: [name], verdict: 'ask', from: 'tier' }] }), 'ask', name);
  assert.equal(verdict('mcp__tracker__close', { rules: [OPEN] }), 'ask');
  assert.equal(verdict('mcp__web__read', { rules: [OPEN] }), 'allow');
});

test('in a tainted run a shell command asks by the classes that it needs', () => {
  assert.equal(shell(['read', 'write_inside']), 'allow');
  for (const name of ['exec', 'write_outside', 'install', 'spend', 'speak'])
    assert.equal(shell(['read', name]), 'ask', name);
});

test('a run that only its repository and registries have reached runs programs and installs; what leaves or spends asks', () => {
  const supply: typeof TAINT = [{ ...(TAINT[0] as TaintMark), source: 'supply', detail: 'git.example.org' }];
  const rules = [{ ...OPEN, tools: [...OPEN.tools, 'install', 'write_outside'] }];
  const of = (name: string, taint: typeof TAINT): string =>
    verdict('shell', { rules, taint, needs: { classes: ['read', name], unclear: [] } });
  for (const name of ['exec', 'install'])
    assert.deepEqual([of(name, supply), of(name, [...supply, ...TAINT])], ['allow', 'ask'], name);
  for (const name of ['publish', 'spend', 'speak', 'write_outside']) assert.equal(of(name, supply), 'ask', name);
  assert.equal(verdict('stop_process', { taint: supply }), 'allow');
  for (const tool of ['say', 'post_to_board', 'buy', 'amend_personality', 'mcp__tracker__close', 'mcp__runner__start'])
    assert.equal(verdict(tool, { taint: supply }), 'ask', tool);
  assert.deepEqual(decidingMark([...supply, ...TAINT]), TAINT[0]);
  assert.equal(decidingMark([]), null);
});

test('only a village rule with tainted: allow relaxes the check, and only for the classes that it names', () => {
  assert.equal(shell(['exec'], [OPEN, RELAXED]), 'allow');
  assert.equal(shell(['exec', 'write_outside'], [OPEN, RELAXED]), 'ask');
  assert.equal(shell(['exec', 'publish'], [OPEN, RELAXED]), 'ask');
  assert.equal(shell(['exec'], [OPEN, { ...RELAXED, from: 'agent' }]), 'ask');
  assert.equal(shell(['exec'], [OPEN, { ...RELAXED, tools: ['shell'] }]), 'allow');
  assert.equal(shell(['exec'], [OPEN, RELAXED, { tools: ['exec'], verdict: 'deny', from: 'tier' }]), 'deny');
  assert.equal(shell(['exec'], [OPEN, RELAXED, { tools: ['exec'], verdict: 'ask', from: 'agent' }]), 'ask');
});

test('the reason names the source and the classes, and a denial stays a denial', () => {
  const { reason } = judge({ rules: [OPEN] }, { tool: 'say', when: 'run', taint: TAINT, needs: null });
  assert.match(reason, /a connection to example\.org.*what the agent says$/);
  assert.equal(verdict('say', { rules: [OPEN, { tools: ['say'], verdict: 'deny', from: 'agent' }] }), 'deny');
});

test('the start of a call of an MCP server or with a shared script marks a run; calls that the broker sees do not', () => {
  assert.deepEqual(bringingOf('mcp__files__read'), { source: 'mcp', detail: 'files' });
  assert.deepEqual(bringingOf('adopt_script'), { source: 'tool', detail: 'adopt_script' });
  for (const tool of ['shell', 'git', 'web_fetch', 'browser_open', 'install_package', 'read_board', 'constructor'])
    assert.equal(bringingOf(tool), null, tool);
  assert.ok(!TAINT_ASKS.has('read') && !TAINT_ASKS.has('write_inside') && !TAINT_ASKS.has('network'));
});
