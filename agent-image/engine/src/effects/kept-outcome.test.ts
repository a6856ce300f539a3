import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptOutcome, plainText } from './kept-outcome.ts';
import type { ToolOutcome } from './tool-outcome.ts';

test('a result of a text alone comes back from its plain text', () => {
  for (const text of [
    '',
    'done',
    '"quoted"',
    '{"a":1}',
    '[ 1 ]',
    '{no json',
    ' {"a":1}',
    '{"kind":"failed","code":"x","text":""}',
  ]) {
    const outcome: ToolOutcome = { kind: 'ok', text };
    assert.deepEqual(keptOutcome({ text: plainText(outcome) ?? '', isPlain: true }), outcome, text);
  }
});

test('the plain text is that of the value as JSON', () => {
  assert.equal(plainText({ kind: 'ok', text: 'done' }), JSON.stringify('done'));
  assert.equal(plainText({ kind: 'ok', text: '{"a":1}' }), JSON.stringify({ a: 1 }));
});

test('any other outcome is kept as JSON', () => {
  const outcomes: readonly ToolOutcome[] = [
    { kind: 'ok', text: 'page', untrusted: true },
    { kind: 'ok', text: 'picture', images: [{ mediaType: 'image/png', data: '' }] },
    { kind: 'failed', code: 'x', text: 'no' },
  ];
  for (const outcome of outcomes) {
    assert.equal(plainText(outcome), null);
    assert.deepEqual(keptOutcome({ text: JSON.stringify(outcome), isPlain: false }), outcome);
  }
});
