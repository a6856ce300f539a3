import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Permission } from '@hamlet/contract';
import { Failure } from '../command.ts';
import { answerHint, permissionLines } from '../talk/permission-text.ts';
import { answerOf } from './approve.ts';

const permission: Permission = {
  permission_id: '0f7c2b1e-0000-4000-8000-000000000001',
  run_id: '0f7c2b1e-0000-4000-8000-000000000002',
  agent_id: 'ada',
  session_id: null,
  request: 'r/1.0/1',
  call_id: '1.0',
  tool: 'post_to_board',
  arguments: '{"body":"Bob wants \\u001b[2Jbread","title":"Bread"}',
  why: 'policy',
  reason: 'posts are asked for',
  question: null,
  state: 'pending',
  policy_version: 'a'.repeat(64),
  asked_at: '2026-11-23T10:00:00.000Z',
  expires_at: '2026-11-24T10:00:00.000Z',
  answered_at: null,
  answered_by: null,
  answer: null,
  reply: null,
  rule_id: null,
  taint: null,
  allowed_by: 'approver',
};
const NOW_MS = Date.parse('2026-11-23T10:00:00.000Z');

test('approve allows a call, --happened and --repeat resolve an unknown outcome, and --reply and --reason are sent', () => {
  assert.deepEqual(answerOf({ flags: {} }, 'allow'), { answer: 'allow' });
  assert.deepEqual(answerOf({ flags: { happened: true } }, 'allow'), { answer: 'happened' });
  assert.deepEqual(answerOf({ flags: { repeat: true, reason: 'seen' } }, 'allow'), {
    answer: 'repeat',
    reason: 'seen',
  });
  assert.deepEqual(answerOf({ flags: { reply: 'At noon.' } }, 'deny'), { answer: 'deny', reply: 'At noon.' });
  assert.throws(() => answerOf({ flags: { happened: true, repeat: true } }, 'allow'), Failure);
});

test('a permission shows its stored arguments with control characters escaped', () => {
  assert.deepEqual(permissionLines(permission, NOW_MS), [
    'ada asks for permission (pending, expires in 1d)',
    '  post_to_board',
    '    {',
    '      "body": "Bob wants \\u001b[2Jbread",',
    '      "title": "Bread"',
    '    }',
    '  reason: posts are asked for',
    `  id: ${permission.permission_id}`,
  ]);
  const asks = { ...permission, why: 'question', question: 'Which \u001b[31mday?' } as const;
  assert.deepEqual(permissionLines(asks, NOW_MS).slice(0, 2), [
    'ada asks a question (pending, expires in 1d)',
    '  Which \ufffd[31mday?',
  ]);
});

test('the hint lists only the answers that the request accepts', () => {
  assert.match(answerHint(permission), /approve 0f7c2b1e\S+ {3}or {3}kubectl hamlet deny \S+ --reply="…"$/);
  assert.match(answerHint({ ...permission, why: 'unknown' }), /--happened {3}or --repeat/);
  assert.match(answerHint({ ...permission, why: 'question' }), /--reply=/);
});
