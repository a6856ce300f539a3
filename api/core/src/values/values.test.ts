import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoff } from './backoff.ts';
import { shorten } from './shorten.ts';

test('a shortened text ends with an ellipsis at its limit, and never with half of a surrogate pair', () => {
  const cases = [
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['a😀', 3, 'a😀'],
    ['a😀b', 3, 'a…'],
    ['😀😀', 3, '😀…'],
    ['ab', 1, '…'],
    ['', 1, ''],
  ] as const;
  for (const [text, maxChars, expected] of cases) {
    assert.equal(shorten(text, maxChars), expected);
    assert.ok(shorten(text, maxChars).isWellFormed() && shorten(text, maxChars).length <= maxChars);
  }
});

test('a backoff doubles up to the longest wait, and its random part covers the upper half', () => {
  const limits = { first: 100, longest: 1_000 };
  assert.deepEqual(
    [1, 2, 3, 4, 5, 1_000].map((failures) => backoff(failures, limits)),
    [100, 200, 400, 800, 1_000, 1_000],
  );
  assert.deepEqual([backoff(1, limits, 0), backoff(99, limits, 0), backoff(99, limits, 0.5)], [50, 500, 750]);
});
