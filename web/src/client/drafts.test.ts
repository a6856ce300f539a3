import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { claimDrafts, forgetDraft, forgetDrafts, readJsonDraft } from './drafts.ts';

const REPLY = 'hamlet-draft-reply-p1';

beforeEach(() => sessionStorage.clear());

test('the same person finds the drafts after signing in again; another person does not', () => {
  claimDrafts('mo');
  sessionStorage.setItem(REPLY, 'Half of a reply');
  claimDrafts('mo');
  assert.equal(sessionStorage.getItem(REPLY), 'Half of a reply');
  claimDrafts('kim');
  assert.equal(sessionStorage.getItem(REPLY), null);
});

test('a visitor who signs in keeps their drafts', () => {
  sessionStorage.setItem(REPLY, 'Half of a reply');
  claimDrafts('mo');
  assert.equal(sessionStorage.getItem(REPLY), 'Half of a reply');
});

test('one draft is deleted by its name; deleting all keeps other stored values', () => {
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

test('a stored draft is read back unchanged', () => {
  const draft = { amount: '25', note: 'for bread', urgent: true };
  assert.deepEqual(readJsonDraft(JSON.stringify(draft), EMPTY), draft);
});

test('unreadable fields, and fields of another form, are left out', () => {
  for (const kept of ['', 'nonsense', 'null', '7', '[]']) assert.deepEqual(readJsonDraft(kept, EMPTY), EMPTY, kept);
  assert.deepEqual(readJsonDraft('{"amount":3,"note":"kept","colour":"red"}', EMPTY), { ...EMPTY, note: 'kept' });
});
