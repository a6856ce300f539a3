import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRun } from '@hamlet/contract';
import { EMPTY_START, readStart, type StartDraft } from './start-draft.ts';

function read(more: Partial<StartDraft>): object {
  const reading = readStart({ ...EMPTY_START, ...more }, 'review');
  if (!reading.ok) return reading.problems;
  assert.ok(createRun.body.safeParse(reading.body).success, 'the API takes it');
  return reading.body;
}

test('a text is the prompt, and empty fields are left out', () => {
  assert.deepEqual(read({ text: ' Review it. ' }), { prompt: 'Review it.', workflow: {} });
  assert.deepEqual(read({ text: 'x', pipeline: 'full', mode: ' fast ', tags: 'code, ,night,code' }), {
    prompt: 'x',
    workflow: { pipeline: 'full', mode: 'fast', tags: ['code', 'night'] },
  });
});

test('a text that is longer than a prompt becomes the input, and its beginning the prompt', () => {
  const text = 'long '.repeat(5_000).trim();
  const body = read({ text }) as { prompt: string; workflow: { input_json: string } };
  assert.equal(JSON.parse(body.workflow.input_json), text);
  assert.equal(body.prompt.length, 200);
});

test('JSON goes to the workflow as it was written, with all digits', () => {
  const json = '{"id": 12345678901234567890,\n "path": "a.md"}';
  assert.deepEqual(read({ kind: 'json', json }), {
    prompt: 'review: {"id": 12345678901234567890, "path": "a.md"}',
    workflow: { input_json: json },
  });
});

test('each problem is at its field', () => {
  assert.deepEqual(read({}), { text: 'Write the input of the task' });
  assert.match(JSON.stringify(read({ kind: 'json', json: '{' })), /"json":"Line 1, column 2: this is not JSON/);
  assert.deepEqual(Object.keys(read({ kind: 'json', json: `"${'x'.repeat(70_000)}"` })), ['json']);
  assert.deepEqual(Object.keys(read({ text: 'x'.repeat(70_000) })), ['text']);
  assert.deepEqual(Object.keys(read({ text: 'x', tags: 'y'.repeat(65) })), ['tags']);
  const many = Array.from({ length: 65 }, (_, index) => `t${index}`).join(',');
  assert.deepEqual(Object.keys(read({ text: 'x', tags: many })), ['tags']);
});
