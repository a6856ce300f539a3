import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PERMISSION_STATES, PermissionAnswer, PermissionWhy } from '@hamlet/contract';
import { aPermission } from '../../client/minds/minds.fixture.ts';
import { answerChoices, expiryLabel, outcomeLabel, reasonLabel, requestLabel } from './permission-labels.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const mia = { role: 'member', id: 'account mia', name: 'Mia' };

test('every kind of request has its own two answers, and together they are all answers', () => {
  const answers = PermissionWhy.options.map((why) => answerChoices(why).map(({ answer }) => answer));
  assert.deepEqual(
    answers.map(({ length }) => length),
    [2, 2, 2],
  );
  assert.deepEqual(new Set(answers.flat()), new Set(PermissionAnswer.options));
});

test('the request names the agent and the call; a question is the agent’s own', () => {
  assert.equal(requestLabel(aPermission(), 'Ada'), 'Ada asks for permission: Post on the board');
  assert.equal(requestLabel(aPermission({ why: 'question' }), 'Ada'), 'Ada asks:');
  assert.match(requestLabel(aPermission({ why: 'unknown' }), 'Ada'), /^Did this happen\?/);
  assert.equal(reasonLabel(aPermission()), 'Posts to the board need a permission.');
  assert.match(reasonLabel(aPermission({ why: 'unknown' })), /Look whether it happened/);
});

test('the expiry counts down and never shows a negative time', () => {
  assert.equal(expiryLabel({ expires_at: '2026-11-23T12:04:12Z' }, NOW), 'expires in 4 min 12 s');
  assert.equal(expiryLabel({ expires_at: '2026-11-23T12:00:08.4Z' }, NOW), 'expires in 9 s');
  assert.equal(expiryLabel({ expires_at: '2026-11-23T11:59:00Z' }, NOW), 'expiring now');
});

test('every state has a text, with the person who answered', () => {
  for (const state of PERMISSION_STATES) assert.notEqual(outcomeLabel(aPermission({ state }), null).word, '');
  const allowed = aPermission({ state: 'consumed', answer: 'allow', answered_by: mia });
  assert.equal(outcomeLabel(allowed, 'mia').word, 'Allowed by you');
  assert.equal(outcomeLabel(allowed, 'tom').word, 'Allowed by Mia');
  assert.equal(outcomeLabel({ ...allowed, state: 'denied', answer: 'deny' }, null).word, 'Denied by Mia');
  assert.equal(outcomeLabel({ ...allowed, why: 'question' }, null).word, 'Answered by Mia');
  assert.match(outcomeLabel(aPermission({ state: 'expired' }), null).word, /counts as a denial/);
});
