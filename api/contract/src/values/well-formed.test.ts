import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainText } from './scalars.ts';
import { wellFormed } from './well-formed.ts';

test('halves of pairs become U+FFFD at any depth, and whole texts stay as they are', () => {
  assert.equal(wellFormed('a\ud83e'), 'a\ufffd');
  assert.deepEqual(wellFormed({ 'k\udd81': [1, null, { text: 'lion 🦁 \ud83e' }] }), {
    'k\ufffd': [1, null, { text: 'lion 🦁 \ufffd' }],
  });
  const whole = { text: 'lion 🦁', list: ['a', { b: true }] };
  assert.equal(wellFormed(whole), whole);
});

test('a plain text is repaired, so that no sender is refused in a loop; its length counts the same', () => {
  assert.equal(plainText(3).parse('ab\ud83e'), 'ab\ufffd');
  assert.equal(plainText(2).safeParse('ab\ud83e').success, false);
  assert.equal(plainText(9).safeParse('a\u0000').success, false);
});
