import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askAgainMs } from './ask-again.ts';

test('answers keep the pace; failures double the wait up to 15 s and leave half to chance', () => {
  assert.equal(askAgainMs(2000, 0, 0.7), 2000);
  assert.deepEqual(
    [1, 2, 3, 50].map((failures) => askAgainMs(2000, failures, 1)),
    [4000, 8000, 15_000, 15_000],
  );
  assert.equal(askAgainMs(2000, 2, 0), 4000);
  assert.equal(askAgainMs(60_000, 3, 1), 60_000, 'a rare question does not become rarer');
});
