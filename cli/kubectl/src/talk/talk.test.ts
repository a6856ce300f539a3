import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepsOf } from './run-end.ts';
import { reportLine } from './talk.ts';

test('a progress report prints as one line, without the results of calls', () => {
  const report =
    'Done: 20 steps, 19 calls\n- say: 19; last: \u001b[31mNow: said\n\nNow: the model writes.\n\nFailed: 1 call\n- buy (failed)';
  assert.equal(reportLine(report), 'Done: 20 steps, 19 calls; Now: the model writes.; Failed: 1 call');
});

test('a single step is singular', () => {
  assert.deepEqual([0, 1, 2].map(stepsOf), ['0 steps', '1 step', '2 steps']);
});
