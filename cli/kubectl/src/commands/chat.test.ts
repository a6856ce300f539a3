import assert from 'node:assert/strict';
import { test } from 'node:test';
import { typedAnswer } from './chat.ts';

test('chat accepts only answers that the request offers', () => {
  assert.deepEqual(typedAnswer('policy', ' yes '), { answer: 'allow' });
  assert.deepEqual(typedAnswer('policy', 'N'), { answer: 'deny' });
  assert.deepEqual(typedAnswer('unknown', 'happened'), { answer: 'happened' });
  assert.deepEqual(typedAnswer('unknown', 'r'), { answer: 'repeat' });
  assert.deepEqual(typedAnswer('question', 'At noon.'), { answer: 'allow', reply: 'At noon.' });
  assert.deepEqual(typedAnswer('question', '  '), { answer: 'deny' });
  for (const [why, text] of [
    ['policy', ''],
    ['policy', 'h'],
    ['unknown', 'y'],
    ['policy', 'what?'],
  ] as const)
    assert.equal(typedAnswer(why, text), null, text);
});
