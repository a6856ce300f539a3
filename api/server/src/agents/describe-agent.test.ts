import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentSpec, type AgentStatus, type Mind } from '@hamlet/contract';
import { mindLabel } from '@hamlet/core';
import type { AgentRecord } from './agent-source.ts';
import { agentConfig, mindOf, whyOf } from './describe-agent.ts';

const lastTransitionTime = '2026-11-22T10:00:00Z';
const condition = (
  type: string,
  status: 'True' | 'False',
  reason: string,
): NonNullable<AgentStatus['conditions']>[number] => ({
  type,
  status,
  reason,
  message: `the message of ${type}`,
  lastTransitionTime,
});
const record = (status: AgentStatus, spec: object = {}): AgentRecord => ({
  agentId: 'ada',
  uid: 'ada-uid',
  createdAt: lastTransitionTime,
  spec: AgentSpec.parse(spec),
  status,
  deleting: false,
});
const READY = [condition('Connected', 'True', 'Connected'), condition('Ready', 'True', 'Ready')];

test("an agent is not ready before the operator's first status, even if its resident is connected", () => {
  for (const status of [{}, { conditions: [] }, { cycle: 1, conditions: [condition('Resized', 'True', 'AsEntitled')] }])
    for (const online of [true, false])
      assert.deepEqual(whyOf(record(status), online), {
        ready: false,
        reason: 'NotObserved',
        message: 'The operator has not written the status of this agent yet.',
      });
});

test('with a status, the first condition of the chain that is not True decides, then the connection', () => {
  assert.equal(whyOf(record({ conditions: READY }), true).ready, true);
  assert.equal(whyOf(record({ conditions: READY }), false).reason, 'NotConnected');
  const waits = [condition('Admitted', 'False', 'NoSeat'), condition('Ready', 'False', 'NoSeat')];
  assert.deepEqual(whyOf(record({ conditions: waits }), true), {
    ready: false,
    reason: 'NoSeat',
    message: 'the message of Admitted',
  });
});

test('a sleeping agent needs no status, because its spec says that it sleeps', () => {
  assert.equal(whyOf(record({}, { power: 'Asleep' }), false).reason, 'Asleep');
});

test('a fault of the hands does not make an agent unready', () => {
  const conditions = [...READY, condition('HandsReady', 'False', 'HandsCrashLooping')];
  assert.equal(whyOf(record({ conditions }), true).ready, true);
});

test('a resident gets the names of the secrets that rules of its agent bind to hosts, and of no others', () => {
  const allow = [
    { host: 'api.github.com', methods: ['GET'], secret: 'team' },
    { host: 'docs.example.org' },
    { host: 'api.example.org', secret: 'ada-key' },
  ];
  const repository = { url: 'https://git.example.org/team/toy.git', secretName: 'git-key' };
  const described = { record: record({}, { egress: { allow }, repository }), place: null, entitlement: null };
  const { secrets } = agentConfig(described, (limits) => limits, {
    chooseModel: () => null,
    search: null,
    outsideAgents: [],
  });
  assert.deepEqual(secrets, [
    { host: 'api.github.com', name: 'team' },
    { host: 'api.example.org', name: 'ada-key' },
  ]);
});

test('the mind of an agent is what its pod reported, until its spec names another or its life is over', () => {
  const mind = (preset: string | null, runtime = 'acp'): Mind => {
    const program = preset === null ? null : 'A program';
    return { runtime, preset, program, version: '1.2', installed: null };
  };
  const rows = [
    [{}, undefined, null],
    [{}, mind(null, 'engine'), "Hamlet's engine"],
    [{ name: 'acp', config: { preset: 'opencode' } }, undefined, 'OpenCode'],
    [{ name: 'acp', config: { preset: 'opencode' } }, mind('opencode'), 'A program 1.2'],
    [{ name: 'acp', config: { preset: 'opencode' } }, mind('codex'), 'OpenCode'],
    [{ name: 'command', config: { command: 'aider' } }, mind(null, 'engine'), 'command: aider'],
  ] as const;
  for (const [runtime, reported, label] of rows) {
    const named = record({}, { runtime });
    const found = mindOf(named, reported && { uid: named.uid, mind: reported });
    assert.equal(found && mindLabel(found), label);
  }
  const before = { uid: 'an earlier life', mind: mind(null, 'engine') };
  assert.equal(mindOf(record({}), before), null);
});
