import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentDetail, Mind } from '@hamlet/contract';
import { mindOfRuntime } from '@hamlet/core/mind';
import { agentLines, agentsLines } from './agents.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const OPENCODE: Mind = {
  runtime: 'acp',
  preset: 'opencode',
  program: 'OpenCode',
  version: '1.18.33',
  installed: false,
};

const agentOf = (mind: Mind | null, more: Partial<AgentDetail> = {}): AgentDetail =>
  ({
    agent_id: 'bob',
    display_name: 'Bob',
    mind,
    tier: 'tier-0',
    balance: '5',
    node: null,
    cycle: 2,
    status: { online: true, last_seen: null, health: 'healthy' },
    why: { ready: true, reason: 'Ready', message: '' },
    ...more,
  }) as AgentDetail;

test('the list names the mind of each agent', () => {
  assert.equal(agentsLines([]), 'no agents');
  const waits = { ready: false, reason: 'NoSeat', message: 'no node has room' };
  const lines = agentsLines([agentOf(OPENCODE), agentOf(mindOfRuntime('engine')), agentOf(null, { why: waits })]);
  assert.match(lines, /^AGENT +NAME +MIND[^]*bob +Bob +OpenCode 1\.18\.33 +tier-0 +5 +Ready/);
  assert.match(lines, /\nbob +Bob +Hamlet's engine /);
  assert.match(lines, /\nbob +Bob +- +tier-0 +5 +NoSeat +no node has room$/);
});

test('an agent is described with what its mind needs and what the village can promise about it', () => {
  const described = agentLines(agentOf(OPENCODE), NOW).join('\n');
  assert.match(
    described,
    /^Bob \(bob\): Ready\nmind: OpenCode 1\.18\.33 \(runtime acp\)\n {2}Its first run installs OpenCode /,
  );
  assert.match(described, /claims; the container and the broker are the boundary/);
  const own = agentLines(agentOf(mindOfRuntime('engine')), NOW).join('\n');
  assert.match(own, /mind: Hamlet's engine \(runtime engine\)\ntier tier-0, 5 aiDollars/);
  assert.doesNotMatch(own, /A2A/);
  assert.match(
    agentLines(agentOf(null, { a2a: true }), NOW).join('\n'),
    /\nA2A: other systems call it at \/a2a\/bob of /,
  );
});
