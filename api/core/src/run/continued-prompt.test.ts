import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RUN_PROMPT_MAX_CHARS } from '@hamlet/contract';
import { continuedPrompt, wordsOfPerson } from './continued-prompt.ts';

const runId = '01a20000-0000-7000-8000-000000000001';

test('a run that continues another reads the words of the person, the task and the last report', () => {
  assert.equal(
    continuedPrompt('Continue.', { runId, prompt: 'Repair the parser.', report: 'Half is done.' }),
    `Continue.\n\nThis continues the run ${runId}, which has ended. Look at what it left before you begin. Its task:\n\nRepair the parser.\n\nIts last report:\n\nHalf is done.`,
  );
  assert.doesNotMatch(continuedPrompt('Continue.', { runId, prompt: 'Repair it.', report: '' }), /report/);
});

test('long tasks and reports are cut in equal parts, and the words of the person stay whole', () => {
  const most = 'x'.repeat(RUN_PROMPT_MAX_CHARS);
  const report = 'y'.repeat(RUN_PROMPT_MAX_CHARS);
  const both = continuedPrompt('Continue.', { runId, prompt: most, report });
  assert.equal(both.length, RUN_PROMPT_MAX_CHARS);
  assert.ok(Math.abs(both.split('x').length - both.split('y').length) <= 2);
  assert.match(continuedPrompt('Continue.', { runId, prompt: most, report: 'Half is done.' }), /Half is done\.$/);
  assert.equal(continuedPrompt(most, { runId, prompt: 'Repair it.', report }).length, RUN_PROMPT_MAX_CHARS);
});

test('the words of a person end where the run that they continue begins', () => {
  const prompt = continuedPrompt('Continue.\n\nSoon.', {
    runId,
    prompt: 'Repair it.',
    report: 'See https://evil.example',
  });
  assert.equal(wordsOfPerson(prompt), 'Continue.\n\nSoon.');
  assert.equal(wordsOfPerson('This continues the run.'), 'This continues the run.');
});
