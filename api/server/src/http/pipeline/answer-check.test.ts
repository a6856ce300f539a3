import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerCheck } from './answer.ts';

test('strict answers are checked each time; other answers the first time, and then at most every 200 ms', () => {
  let nowMs = 5;
  const monotonicMs = (): number => nowMs;
  const strict = answerCheck({ strictAnswers: true, monotonicMs });
  assert.deepEqual([strict(), strict()], [true, true]);
  const check = answerCheck({ strictAnswers: false, monotonicMs });
  assert.deepEqual([check(), check()], [true, false]);
  nowMs = 204;
  assert.equal(check(), false);
  nowMs = 205;
  assert.deepEqual([check(), check()], [true, false]);
});
