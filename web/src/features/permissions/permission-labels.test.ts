import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Permission, PERMISSION_STATES, PermissionAnswer, PermissionWhy, TAINT_SOURCES } from '@hamlet/contract';
import { aPermission, RUN_ID } from '../../client/minds/minds.fixture.ts';
import {
  alwaysChoices,
  answerChoices,
  expiryLabel,
  mayRevoke,
  outcomeLabel,
  reachLabel,
  reasonLabel,
  requestLabel,
  ruleLabel,
  whoMayLabel,
} from './permission-labels.ts';
import { originLabel } from '../../client/minds/origin-label.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const mia = { role: 'member', id: 'account mia', name: 'Mia' };

test('every kind of request has two answers, and all answers of the contract are used', () => {
  const answers = PermissionWhy.options.map((why) =>
    answerChoices({ why, allowed_by: 'approver' }, 'member').map(({ answer }) => answer),
  );
  assert.deepEqual(
    answers.map(({ length }) => length),
    [2, 2, 2],
  );
  assert.deepEqual(new Set(answers.flat()), new Set(PermissionAnswer.options));
});

test('only an admin may allow what opens a host; a member may deny it, and reads who may allow it', () => {
  const host = aPermission({ tool: 'reach_host', allowed_by: 'admin' });
  const answers = (role: 'member' | 'admin') => answerChoices(host, role).map(({ answer }) => answer);
  assert.deepEqual([answers('member'), answers('admin')], [['deny'], ['allow', 'deny']]);
  assert.match(whoMayLabel(host, 'member') ?? '', /Only an admin may allow this/);
  assert.deepEqual([whoMayLabel(host, 'admin'), whoMayLabel(aPermission(), 'member')], [null, null]);
  assert.match(reachLabel('reach_host').hint, /exactly this name, at the ports above/);
});

test('the request names the agent and the call; a question is the agent’s own', () => {
  assert.equal(requestLabel(aPermission(), 'Ada'), 'Ada asks for permission: Post on the board');
  assert.equal(requestLabel(aPermission({ why: 'question' }), 'Ada'), 'Ada asks:');
  assert.match(requestLabel(aPermission({ why: 'unknown' }), 'Ada'), /^Did this happen\?/);
  assert.equal(reasonLabel(aPermission()), 'Posts to the board need a permission.');
  assert.match(reasonLabel(aPermission({ why: 'unknown' })), /Check whether it happened/);
});

test('the expiry counts down and never shows a negative time', () => {
  assert.equal(expiryLabel({ expires_at: '2026-11-23T12:04:12Z' }, NOW), 'expires in 4 min 12 s');
  assert.equal(expiryLabel({ expires_at: '2026-11-23T12:00:08.4Z' }, NOW), 'expires in 9 s');
  assert.equal(expiryLabel({ expires_at: '2026-11-23T11:59:00Z' }, NOW), 'expiring now');
});

test('every state has a text that names the person who answered', () => {
  for (const state of PERMISSION_STATES) assert.notEqual(outcomeLabel(aPermission({ state }), null).word, '');
  const allowed = aPermission({ state: 'consumed', answer: 'allow', answered_by: mia });
  assert.equal(outcomeLabel(allowed, 'mia').word, 'Allowed by you');
  assert.equal(outcomeLabel(allowed, 'tom').word, 'Allowed by Mia');
  assert.equal(outcomeLabel({ ...allowed, state: 'denied', answer: 'deny' }, null).word, 'Denied by Mia');
  assert.equal(outcomeLabel({ ...allowed, why: 'question' }, null).word, 'Answered by Mia');
  assert.match(outcomeLabel(aPermission({ state: 'expired' }), null).word, /counts as a denial/);
});

test('a request that a rule answered names the rule and its author', () => {
  const allowed = aPermission({ state: 'consumed', answer: 'allow', answered_by: mia, rule_id: RUN_ID });
  assert.equal(outcomeLabel(allowed, 'tom').word, 'Allowed by a rule of Mia');
  assert.equal(outcomeLabel(allowed, 'mia').word, 'Allowed by a rule of you');
});

test('a card explains which later calls a rule covers', () => {
  const words = ['shell', 'git', 'http', 'browser_click', 'deliver', 'mcp__files__write'].map(
    (tool) => reachLabel(tool).word,
  );
  assert.deepEqual(words, [
    'Always allow this command',
    'Always allow this command',
    'Always allow such requests',
    'Always allow such requests',
    'Always allow this tool',
    'Always allow this tool',
  ]);
});

test('a card offers a rule for its conversation, and to admins also one for the agent', () => {
  const scopes = (more: Partial<Permission>, role: 'member' | 'admin'): readonly string[] =>
    alwaysChoices(aPermission(more), { role, agentName: 'Ada' }).map(({ scope }) => scope);
  assert.deepEqual(scopes({}, 'admin'), ['conversation', 'agent']);
  assert.deepEqual(scopes({}, 'member'), ['conversation']);
  assert.deepEqual(scopes({ session_id: null }, 'member'), []);
  assert.deepEqual(scopes({ why: 'question' }, 'admin'), []);
  assert.deepEqual(scopes({ why: 'unknown' }, 'admin'), []);
  assert.deepEqual(scopes({ tool: 'propose_schedule' }, 'admin'), []);
  assert.deepEqual(scopes({ tool: 'git_push' }, 'admin'), []);
});

test('a rule shows its scope, author and use; its author and admins may remove it', () => {
  const rule = {
    session_id: null,
    created_by: mia,
    created_at: '2026-11-23T11:55:00Z',
    used: 0,
    tainted: false,
    supply: false,
  };
  const at = { viewer: 'tom', agentName: 'Ada', nowMs: NOW };
  assert.equal(ruleLabel(rule, at), 'for Ada, by Mia 5 min ago, not used yet');
  assert.equal(
    ruleLabel({ ...rule, session_id: RUN_ID, used: 3 }, { ...at, viewer: 'mia' }),
    'with Ada, in your messages, by you 5 min ago, used 3 times',
  );
  const tainted = { ...rule, tainted: true };
  assert.match(ruleLabel(tainted, at), /^for Ada, also after text from outside, by/);
  assert.match(
    ruleLabel({ ...tainted, supply: true }, at),
    /^for Ada, also after text of its repository or a registry, by/,
  );
  assert.deepEqual(
    [
      mayRevoke(rule, { viewer: 'mia', role: 'member' }),
      mayRevoke(rule, { viewer: 'tom', role: 'member' }),
      mayRevoke(rule, { viewer: 'tom', role: 'admin' }),
    ],
    [true, false, true],
  );
});

test('every source of taint has a label, with host, server, tool or memory if known', () => {
  const words = TAINT_SOURCES.map((source) => originLabel({ source, detail: 'example.org' }));
  assert.equal(new Set(words).size, TAINT_SOURCES.length);
  for (const source of ['tool', 'mcp', 'egress', 'memory'] as const)
    assert.match(originLabel({ source, detail: 'example.org' }), /example\.org/);
});
