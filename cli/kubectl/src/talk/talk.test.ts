import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mindOfRuntime } from '@hamlet/core/mind';
import { stepsOf, usageOf } from './run-end.ts';
import { reportLine } from './talk.ts';

test('a progress report prints as one line, without the results of calls', () => {
  const report =
    'Done: 20 steps, 19 calls\n- say: 19; last: \u001b[31mNow: said\n\nNow: the model writes.\n\nFailed: 1 call\n- buy (failed)';
  assert.equal(reportLine(report), 'Done: 20 steps, 19 calls; Now: the model writes.; Failed: 1 call');
});

test('the work of a program of another maker has tokens and cost, and no steps', () => {
  assert.equal(usageOf(mindOfRuntime('acp'), 1, '9 tokens'), '9 tokens');
  assert.equal(usageOf(mindOfRuntime('engine'), 2, '9 tokens'), '2 steps, 9 tokens');
  assert.equal(usageOf(undefined, 2, '9 tokens'), '2 steps, 9 tokens');
});

test('a single step is singular', () => {
  assert.deepEqual([0, 1, 2].map(stepsOf), ['0 steps', '1 step', '2 steps']);
});
