import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readJsonDraft } from './json-draft.ts';

const EMPTY = { amount: '', note: '', urgent: false };

test('a draft comes back as it was kept', () => {
  const draft = { amount: '25', note: 'for bread', urgent: true };
  assert.deepEqual(readJsonDraft(JSON.stringify(draft), EMPTY), draft);
});

test('what cannot be read, or is of another form, is left out', () => {
  for (const kept of ['', 'nonsense', 'null', '7', '[]']) assert.deepEqual(readJsonDraft(kept, EMPTY), EMPTY, kept);
  assert.deepEqual(readJsonDraft('{"amount":3,"note":"kept","colour":"red"}', EMPTY), { ...EMPTY, note: 'kept' });
});
