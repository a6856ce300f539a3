import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { Policy, type PolicyRule, SafeMode, VILLAGE_TOOL_NAMES } from '@hamlet/contract';
import { judgeCall } from './judge-call.ts';
import { judgeEgressWrite } from './judge-egress-write.ts';
import { DEFAULT_VILLAGE_RULES, narrowPolicy, resolvePolicy } from './resolve-policy.ts';

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();
const AGENT = resolvePolicy(
  { village: DEFAULT_VILLAGE_RULES, tier: [], agent: {}, mcp: { files: 'read', shop: 'spend', odd: null } },
  sha256,
);
const of = (safeMode: SafeMode | null, policy = AGENT): Policy => narrowPolicy(policy, { lists: [], safeMode }, sha256);

/** The tools of a run in a safe mode. A new tool that changes nothing belongs here. */
const LEFT =
  'look_around go_to find_agent read_board search_board balance quote list_schedules list_scripts list_memories search_memories load_skill read_skill_file todo find_tools wait_for list_workers delegate run_stage read_output list_processes read_file list_files search_files list_changes say ask_human deliver http web_fetch web_search browser_open browser_read browser_click browser_fill browser_screenshot'.split(
    ' ',
  );

test('a run in a safe mode has only the tools that change nothing', () => {
  for (const mode of SafeMode.options) {
    const left = VILLAGE_TOOL_NAMES.filter(
      (tool) =>
        judgeCall(of(mode), { tool, when: 'run', input: { url: 'https://example.org/', method: 'GET' } }).verdict !==
        'deny',
    );
    assert.deepEqual(left.toSorted(), LEFT.toSorted());
  }
});

test('a safe mode denies changes even if village, tier and agent allow everything', () => {
  const every: PolicyRule = { tools: [...VILLAGE_TOOL_NAMES], verdict: 'allow' };
  const free = resolvePolicy({ village: [every], tier: [every], agent: { rules: [every] } }, sha256);
  assert.equal(judgeCall(free, { tool: 'shell', when: 'run' }).verdict, 'allow');
  const { verdict, reason } = judgeCall(of('dry_run', free), { tool: 'shell', when: 'run' });
  assert.equal(verdict, 'deny');
  assert.match(reason, /dry run: the call was not performed/);
});

test('a request that sends something is denied, one that reads is allowed', () => {
  const http = (method: string) =>
    judgeCall(of('analysis_only'), { tool: 'http', when: 'run', input: { method, url: 'https://example.org/' } })
      .verdict;
  assert.equal(http('POST'), 'deny');
  assert.notEqual(http('GET'), 'deny');
});

test('only MCP servers of class read are allowed', () => {
  const verdict = (tool: string) => judgeCall(of('analysis_only'), { tool, when: 'run' }).verdict;
  assert.equal(verdict('mcp__files__read_file'), 'allow');
  assert.equal(verdict('mcp__shop__order'), 'deny');
  assert.equal(verdict('mcp__odd__x'), 'deny');
});

test('writes that leave the pod are denied in the broker too, for any program', () => {
  for (const kind of ['push', 'publish', 'checkout', 'write'] as const)
    assert.equal(judgeEgressWrite(of('analysis_only'), { kind, isAllowedByRule: true, taint: [] }).verdict, 'deny');
});

test("a run without a mode has its agent's policy", () => {
  assert.equal(of(null), AGENT);
  const versions = [AGENT, of('analysis_only'), of('dry_run')].map(({ version }) => version);
  assert.equal(new Set(versions).size, 3);
  assert.doesNotThrow(() => Policy.parse(of('dry_run')));
});
