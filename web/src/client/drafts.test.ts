import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { claimDrafts, forgetDraft, forgetDrafts, readJsonDraft } from './drafts.ts';

const REPLY = 'hamlet-draft-reply-p1';

beforeEach(() => sessionStorage.clear());

test('who signs in again after a session ended finds the drafts; another person does not', () => {
  claimDrafts('mo');
  sessionStorage.setItem(REPLY, 'Half of a reply');
  claimDrafts('mo');
  assert.equal(sessionStorage.getItem(REPLY), 'Half of a reply');
  claimDrafts('kim');
  assert.equal(sessionStorage.getItem(REPLY), null);
});

test('what a visitor wrote goes on with whoever signs in', () => {
  sessionStorage.setItem(REPLY, 'Half of a reply');
  claimDrafts('mo');
  assert.equal(sessionStorage.getItem(REPLY), 'Half of a reply');
});

test('one draft is forgotten by its name, all of them leave what is no draft', () => {
  sessionStorage.setItem(REPLY, 'Half of a reply');
  sessionStorage.setItem('hamlet-draft-pay', '{}');
  sessionStorage.setItem('elsewhere', 'kept');
  forgetDraft('pay');
  assert.deepEqual(
    [sessionStorage.getItem('hamlet-draft-pay'), sessionStorage.getItem(REPLY)],
    [null, 'Half of a reply'],
  );
  forgetDrafts();
  assert.deepEqual([sessionStorage.getItem(REPLY), sessionStorage.getItem('elsewhere')], [null, 'kept']);
});

const EMPTY = { amount: '', note: '', urgent: false };

test('a draft comes back as it was kept', () => {
  const draft = { amount: '25', note: 'for bread', urgent: true };
  assert.deepEqual(readJsonDraft(JSON.stringify(draft), EMPTY), draft);
});

test('what cannot be read, or is of another form, is left out', () => {
  for (const kept of ['', 'nonsense', 'null', '7', '[]']) assert.deepEqual(readJsonDraft(kept, EMPTY), EMPTY, kept);
  assert.deepEqual(readJsonDraft('{"amount":3,"note":"kept","colour":"red"}', EMPTY), { ...EMPTY, note: 'kept' });
});
